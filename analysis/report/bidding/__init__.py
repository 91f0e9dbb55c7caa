"""What rules of bidding cost, in every game with an auction: decision lists, tables of a study, a section of a page."""
