"""The players of the simulator, and players written in Python.

catalogue    `PLAYERS`, and the kernels that call each by its number
knowledge    the information state of a player at a decision, and the arrays it decides with
habits       `random`, `novice`, `family`
pimc         `pimc`, `cautious`; the tricks of every play, for a review
equilibrium  `equilibrium`, from stored solutions
learned      `learned`, from a network
seats        `KernelPlayer` in a seat of the engine; players with `act` or `probabilities`, the `Views` they are given;
             how any of them bids with each of many hands
"""
