"""Questions about Towie: the call on a hand and six exposed cards; studies and the report."""

from towerlab.analysis.towie.bid import BidAnswer, ask_bid

__all__ = ["BidAnswer", "ask_bid"]
