"""What Bowers and Towie share of bidding: how rules for it are scored in decisions, and what an answer is made of.

accuracy  the table `rules` of the study `bidding-accuracy`
answers   a call's value, how the others call, scores before the deal
"""
