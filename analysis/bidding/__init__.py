"""What do bids of Bowers and Towie have in common?

answers         the verdict of calls and buries, its scale, the scores of a question
race            which call is best, from layouts that are solved only as far as this is open
trick_estimate  about how many tricks a deal makes, without a search
precision       how narrow intervals are, and how often they hold
accuracy        what a bidding rule costs
"""
