"""Passages that the reader keeps for the next questions, or leaves out of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class SourcePicks:
    """Chunk ids, in the order in which they were picked."""

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.kept or self.dropped)

    def toggle_kept(self, chunk: str) -> SourcePicks:
        """Keep a passage, or no longer; one that was left out is not any more."""
        return replace(self, kept=_toggle(self.kept, chunk), dropped=_without(self.dropped, chunk))

    def toggle_dropped(self, chunk: str) -> SourcePicks:
        """Leave a passage out, or no longer; one that was kept is not any more."""
        return replace(self, kept=_without(self.kept, chunk), dropped=_toggle(self.dropped, chunk))

    @property
    def chips(self) -> list[str]:
        """What to show above the prompt."""
        named = ((len(self.kept), "pinned"), (len(self.dropped), "excluded"))
        return [f"{number} {'passage' if number == 1 else 'passages'} {what}" for number, what in named if number]


def _toggle(chunks: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    return _without(chunks, chunk) if chunk in chunks else (*chunks, chunk)


def _without(chunks: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    return tuple(other for other in chunks if other != chunk)
