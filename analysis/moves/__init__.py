"""Which card should I play? One answer for `towerlab move`, the advice at the table and the grading of reviews.

`weighing` values every legal card in the layouts that fit what the player knows, counted where they are few, else
drawn; `answers` ranks the cards, says why in what was counted, and shows them.
"""
