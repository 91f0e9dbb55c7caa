"""How is hidden play learned by self-play? Hands in batches, what a seat sees as numbers, and a network that decides.

`environment` has the rules of a hand over arrays, `network` the 304 inputs of a decision and the policy, `policies` the
files that ship, calls and rollouts, `training` how a policy learns. The environment is the one place that repeats rules
of `games/towers_and_bowers`: thousands of hands at once, by kernels. A test plays its hands through the engine, card by
card.
"""
