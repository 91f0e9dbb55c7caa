"""The table: sessions, advice, recording, review over all games. It knows no game; what a game brings
lies in the file or package of its name. Saved games are read and written by `analysis/saved_games.py`.

scene       what one seat sees, as something to draw
game        what a game brings to the table, and the choices and the advice it gives
session     a game under way between people and players, saved after every action
grading     a decision with its cost and verdict; postmortem says what decided a deal, by its graded decisions
record      a game of real cards, entered as it is seen
review      a game graded decision by decision; many does a folder
train       puzzles and own mistakes, asked again until they are right; puzzles holds those that are stored
rows        what the scenes of several games are made of
drawing     a scene in a terminal
reading     what a typed line means
play        play, training and records in a terminal
"""
