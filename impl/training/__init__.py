"""Steps of training on top of the implementations: descent with errors fed back, local descent, dropping late work."""
