"""The report of Bowers: `data` is what the page is made of, `figures` and `words` its parts, `page` the whole."""

from analysis.bowers.report.page import REPORT

__all__ = ["REPORT"]
