"""The provers of claims."""
