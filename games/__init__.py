"""What are the rules of the five games, and with which cards are they played? Imports nothing of towerlab above it.

cards         a card is a bit, a hand a number; notation; play order
bits, arrays  kernels on such numbers, and the types of arrays
tricks        who follows suit, who wins a trick; beating says which cards still beat the best
options       the choices that rules leave; rulebook has the rules in words
engine        one interface to all games: legal, view, chance, apply
transcript    games as they are recorded; pbn and lin are the formats of bridge programs
errors        what a user can do wrong; untrusted reads files that anybody may have written
written       how a record writes itself
jit           how a kernel is compiled; machine_code is the compiler, cache_folder where its work is kept
shuffling     packs in a random order

bowers, tower_war, towers, towers_and_bowers, towie: a game each, with the same files.
"""
