"""What is proved of exchanges beyond their pages' formulas: of regions, of turns, of shares."""
