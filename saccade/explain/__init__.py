"""`saccade explain`: what a script's graphs become, their passes and their memory."""

from __future__ import annotations

from ..lazy import names_of

__all__ = ["explain"]

__getattr__ = names_of(__name__, {"explain": ".report"})
