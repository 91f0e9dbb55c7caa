"""What Bowers and Towie share of bidding: how rules for it are scored in the same decisions (`accuracy`)."""
