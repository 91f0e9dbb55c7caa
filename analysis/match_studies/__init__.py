"""Studies of bids and of played matches of Towers & Bowers."""

from analysis.match_studies.bidding import BIDDING
from analysis.match_studies.claiming import CLAIMING
from analysis.match_studies.gap import GAP
from analysis.match_studies.tournament import TOURNAMENT

__all__ = ["BIDDING", "CLAIMING", "GAP", "TOURNAMENT"]
