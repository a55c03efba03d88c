"""What sparring shows to people."""
