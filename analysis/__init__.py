"""A question in, a table out: decisions, claims, studies, statistics and reports."""
