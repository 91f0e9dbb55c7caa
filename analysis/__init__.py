"""What is true? A question in, an answer out: decisions, claims, studies, statistics and reports.

player_knowledge  what a player knows who claims or is to play
decision          which alternative is best, and what the others cost; advice is what the table makes of it
stats             how sure a sampled number is
present           how questions are read and answers shown
batches           thousands of questions at once; question_rows says which columns they may have
moves, claims     which card to play, and which claim is sound, in every game with tricks
bidding           what bids of Bowers and Towie have in common
simulation        how often one player beats another; players finds a player by name
study             long computations, cut into chunks, taken up again
report            a page a game; printed_rules are its rules, printed and measured
catalog           which games there are
saved_games       how a game is saved; whole_files how any file is
version           which towerlab this is

bowers, tower_war, towers, towers_and_bowers, towie: the questions of a game, its studies and its page.
"""

import random

_state = random.getstate()
import rich.style  # noqa: E402  draws numbers as it is imported, of the user's own random generator

random.setstate(_state)
