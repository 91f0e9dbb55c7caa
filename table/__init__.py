"""What do people do at a table? They play, take advice, record, review and train. It knows no game; what a game brings
is in the file or package of its name. Saved games are read and written by `analysis/saved_games.py`.

scene       what one seat sees, as something to draw; rows are what scenes of several games are made of
game        what a game brings to the table, and the choices and the advice it gives
session     a game under way between people and players, saved after every action; commanding opens it by name
grading     a decision with its cost and verdict; postmortem says what decided a deal, by its graded decisions
record      a game of real cards, entered as it is seen; hidden and unknown are games with cards that nobody has named,
            fitting_layouts says where these can be
review      a game graded decision by decision; many_games does a folder
train       puzzles and own mistakes, asked again until they are right; puzzles holds those that are stored
drawing     a scene in a terminal; showing is a transcript in words, present a review
reading     what a typed line means
play        play, training and records in a terminal
environment  any game as an environment of PettingZoo

bowers, tower_war, towers, towers_and_bowers, towie: what a game brings.
"""
