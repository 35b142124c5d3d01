"""The optional steps of ranking, each on by default because it measurably helps; benchmarks switch them off one by one."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps a search takes."""

    synonyms: bool = True
    """Words that filings use for what a question asks are looked for too."""
    statements: bool = True
    """A question about a financial statement puts that statement's tables forward."""

    @staticmethod
    def names() -> tuple[str, ...]:
        return tuple(field.name for field in fields(Steps))

    @classmethod
    def none(cls) -> Steps:
        """Bare ranking."""
        return cls(**dict.fromkeys(cls.names(), False))

    def without(self, name: str) -> Steps:
        """All but one."""
        return replace(self, **{name: False})
