"""The table: sessions, advice, recording, review over all games. It knows no game.

scene       what one seat sees, as something to draw
game        what a game brings to the table, and the choices and the advice it gives
session     a game under way between people and players, saved after every action
store       sessions as files: JSON lines, appended and flushed
drawing     a scene in a terminal
reading     what a typed line means
play        play, training and records in a terminal
"""
