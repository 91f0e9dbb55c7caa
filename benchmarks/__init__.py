"""Ratios against named yardsticks measured in the same run: `python -m benchmarks.NAME`. Nothing here is a test."""
