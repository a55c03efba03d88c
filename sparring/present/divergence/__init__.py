"""Where a run leaves its page: two space-time pictures, the page's and the observed one."""

from sparring.present.divergence.drawing import svg
from sparring.present.divergence.text import terminal

__all__ = ["svg", "terminal"]
