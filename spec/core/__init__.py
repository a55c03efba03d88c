"""What a page is, and how it runs."""
