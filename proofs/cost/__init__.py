"""What an algorithm costs: closed forms derived from its page, proved, and compared with counts and with papers."""
