"""`towerlab report bowers`: run the study and write the page."""

from analysis.bowers.report.page import publish, write_report

__all__ = ["publish", "write_report"]
