"""Solutions that ship: readers, values, where they hold."""
