"""The two house themes. Colours stand here and nowhere else; style sheets name variables only."""

from __future__ import annotations

from textual.theme import Theme

FIN_DARK = Theme(
    name="fin-dark",
    primary="#7aa2d6",
    secondary="#8fb0a9",
    accent="#e0b36a",
    warning="#e5a458",
    error="#e0707a",
    success="#86b98a",
    foreground="#d5d9e0",
    background="#12161c",
    surface="#171c24",
    panel="#222936",
    dark=True,
    variables={
        "border": "#3a4454",
        "border-blurred": "#2b3340",
        "block-cursor-foreground": "#12161c",
        "block-cursor-background": "#7aa2d6",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#d5d9e0",
        "block-cursor-blurred-background": "#2b3648",
        "block-cursor-blurred-text-style": "none",
        "block-hover-background": "#1e2530",
        "input-selection-background": "#3d5878",
        "footer-background": "#12161c",
        "footer-key-foreground": "#e0b36a",
        "footer-description-foreground": "#98a2b3",
        "link-color": "#e0b36a",
        "link-style": "bold",
        "link-background-hover": "#e0b36a",
        "link-color-hover": "#12161c",
        "link-style-hover": "bold",
        "scrollbar": "#2e3746",
        "scrollbar-hover": "#4a566b",
        "scrollbar-active": "#7aa2d6",
        "scrollbar-background": "#12161c",
        "scrollbar-background-hover": "#12161c",
        "scrollbar-background-active": "#12161c",
        "scrollbar-corner-color": "#12161c",
        "mark": "#4c4124",
        "mark-text": "#ffe7b8",
    },
)

FIN_LIGHT = Theme(
    name="fin-light",
    primary="#2f5f98",
    secondary="#3f7068",
    accent="#96600f",
    warning="#a65f00",
    error="#b3313e",
    success="#3c7a42",
    foreground="#252b35",
    background="#f7f6f2",
    surface="#fdfcf9",
    panel="#e9e7df",
    dark=False,
    variables={
        "border": "#bdb9ac",
        "border-blurred": "#d9d5c9",
        "block-cursor-foreground": "#fdfcf9",
        "block-cursor-background": "#2f5f98",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": "#252b35",
        "block-cursor-blurred-background": "#d8e0ea",
        "block-cursor-blurred-text-style": "none",
        "block-hover-background": "#efede6",
        "input-selection-background": "#b9cde4",
        "footer-background": "#f7f6f2",
        "footer-key-foreground": "#96600f",
        "footer-description-foreground": "#636b78",
        "link-color": "#96600f",
        "link-style": "bold",
        "link-background-hover": "#96600f",
        "link-color-hover": "#fdfcf9",
        "link-style-hover": "bold",
        "scrollbar": "#d2cec2",
        "scrollbar-hover": "#aca798",
        "scrollbar-active": "#2f5f98",
        "scrollbar-background": "#f7f6f2",
        "scrollbar-background-hover": "#f7f6f2",
        "scrollbar-background-active": "#f7f6f2",
        "scrollbar-corner-color": "#f7f6f2",
        "mark": "#ffe9b0",
        "mark-text": "#3a2c00",
    },
)

THEMES = (FIN_DARK, FIN_LIGHT)
MARK_DEFAULTS = {"mark": "#6b5a1e", "mark-text": "#fff3cf"}
"""How a cited span is marked in themes that are not ours."""


def other_theme(name: str) -> str:
    """The house theme to switch to from ``name``."""
    return FIN_DARK.name if name == FIN_LIGHT.name else FIN_LIGHT.name
