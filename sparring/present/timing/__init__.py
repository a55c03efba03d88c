"""A timing in which messages meet on a link: ranks across, time down, every message an arrow as long as it takes."""

from sparring.present.timing.drawing import svg
from sparring.present.timing.text import terminal

__all__ = ["svg", "terminal"]
