"""The last two tricks of a hand, worked out at once for all hands: nearly all the time of a pass is spent here.

Before them each player has two cards. The leader and the follower each choose once more; then one card each is left.
The value of a card in the last trick against a vector of the other player's last cards is a sum over pairs of cards,
less the pairs that cannot be: one card in two places.

Pairs of cards are numbered as they are stored, one entry a pair and, for a dealer who took the up-card, a discard: the
innermost loops run over neighbours.

- `pairs`: the pairs, the tables over them, and how far choices lead to each
- `strategies`: regrets, averages and shares
- `values`: the values of cards
- `passes`: one pass over both decisions
"""
