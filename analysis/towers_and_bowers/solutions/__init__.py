"""What has been solved and ships: readers, values, where they hold."""
