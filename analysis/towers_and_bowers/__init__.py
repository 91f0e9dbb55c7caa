"""What can be asked about Towers & Bowers? Calls, discards, cards, claims, deals, strategies.

position          what a player knows in a hand
upcard            accept or pass, name a suit, which discard: the question and its answer
ranges            which hands the other can hold, and how likely each is
stored_bidding    the solution of one to four cards, by class of hands
values            what calls and contracts are worth by the solution, or with open cards
rollouts          alternatives played out by the learned policy; played makes them an answer of calls
answers           what an answer about calls is made of
move              which card, and the value of every alternative; last_cards solves the last three cards
open_hands        two hands with all cards seen
claims            is this claim sound
deal_value        what dealing is worth
whole_strategies  what the solution does in every information set
exploitability    how much a best response takes from a strategy
simulation        who wins
studies           how hands are solved, what rules of thumb cost
report            the page and the explorer; present shows the answers in a terminal
shipped           the files that ship; stamp says that they are still true after an edit
"""
