"""How often Python looks for garbage while a screen waits for its next picture."""

from __future__ import annotations

import gc

_THRESHOLDS = (20_000, 10, 10)
"""Objects made before the youngest are looked through, then how often that happens before older ones are. By default 700, 10, 10:
a layout of a long filing makes tens of thousands, and each look at the oldest passes over all that was ever imported.
"""


def collect_seldom() -> None:
    """From now on, in this process."""
    gc.set_threshold(*_THRESHOLDS)


def spare_what_stays() -> None:
    """What lives now, as modules, styles and indexes do, is not looked through any more."""
    gc.freeze()
