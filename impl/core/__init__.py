"""What the implementations share: a private communicator and checked arguments."""
