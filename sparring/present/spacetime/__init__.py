"""Space-time pictures: ranks across, time down, every message an arrow, every copy a bar that fills up.

``history`` is what all pictures show.  ``drawing`` is the SVG, which ``strokes`` draws; ``text`` is for terminals.
"""

from sparring.present.spacetime.drawing import svg
from sparring.present.spacetime.text import terminal

__all__ = ["svg", "terminal"]
