"""What a run really sent: recorded, written, read, and compared with a page."""
