"""Files of schedules, a module for each format; ``files`` tells which one a file is in."""
