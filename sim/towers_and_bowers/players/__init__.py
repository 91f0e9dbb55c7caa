"""The players of the simulator, and players written in Python.

catalogue      `PLAYERS`, and the kernels that call each by its number
knowledge      the information state of a player at a decision, and the arrays it decides with
habits         `random`, `novice`, `family`
pimc           `pimc`, `cautious`; the tricks of every play, for a review
equilibrium    `equilibrium`, from stored solutions
learned        `learned`, from a network
python_player  players with `act` or `probabilities`, and the `Views` they are given
bidding        how any of them bids with each of many hands
seats          `KernelPlayer`, a player of the simulator in a seat of the engine
"""
