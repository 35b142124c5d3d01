"""A sentence with the places of the companies, periods, metrics and numbers that it names (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fin_tui.engine.checking.marks import PeriodMark, figures_in, period_marks
from fin_tui.engine.evidence.numbers import Number
from fin_tui.engine.questions.companies import CompanyIndex, Named
from fin_tui.engine.questions.unknown import unknown_companies
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM
from fin_tui.facts.figures import Mention

_SUBJECT = re.compile(
    r"^\W*(?:(?:[Ii]n|[Ff]or|[Dd]uring|[Aa]s\s+of|[Aa]t)\s+[^,]{3,40},\s+)?(?P<name>[A-Z][\w&.-]*(?:\s+[A-Z&][\w&.-]*)*)(?:['’]s\b|\s+(?:reported|posted|earned|generated|recorded|had|has|booked|made|spent|lost|paid|saw|held)\b)"
)
_NO_NAMES = frozenset(
    (
        "it we they the this that these those total net revenue revenues sales management our its their both each group profit "
        "earnings cash in for by"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the places of what it names."""

    text: str
    companies: tuple[Named, ...]
    unknown: tuple[Named, ...]
    marks: tuple[PeriodMark, ...]
    mentions: tuple[Mention, ...]
    numbers: tuple[Number, ...]

    @property
    def named(self) -> tuple[tuple[int, int], ...]:
        """Spans of the companies and periods."""
        return (*((one.start, one.end) for one in self.companies), *((one.start, one.end) for one in self.marks))

    @property
    def plain(self) -> str:
        """The text with spaces for the companies: "Advanced Micro Devices" advances nothing."""
        text = self.text
        for one in self.companies:
            text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
        return text

    @property
    def stranger(self) -> Named | None:
        """A name that it is told of and that is neither a company held nor a figure: "In 2024, Acme had sales of $5 million"."""
        match = _SUBJECT.match(self.text)
        if match is None or self.companies or match["name"].split()[0].lower() in _NO_NAMES:
            return None
        start, end = match.span("name")
        taken = (*self.named, *((one.start, one.end) for one in self.mentions))
        return None if any(start < b and a < end for a, b in taken) else Named((), match["name"], start, end)

    def before(self, index: int) -> str:
        """The words before a number, back to the number before it."""
        start = self.numbers[index - 1].end if index else 0
        return self.plain[start : self.begin(index)]

    def after(self, index: int) -> str:
        """The words behind a number, up to the next."""
        end = self.begin(index + 1) if index + 1 < len(self.numbers) else len(self.text)
        return self.plain[self.numbers[index].end : end]

    def begin(self, index: int) -> int:
        """Where a number begins, its sign included."""
        number = self.numbers[index]
        return max(number.end - len(number.text), 0) if self.text[: number.end].endswith(number.text) else number.start


def read_sentence(text: str, index: CompanyIndex, names: Names) -> Sentence:
    """Find what ``text`` names."""
    companies = index.find(text)
    unknown = tuple(
        Named((), name, at, at + len(name)) for name in unknown_companies(text, index) if (at := text.find(name)) >= 0
    )
    marks = period_marks(text)
    spans = [*((c.start, c.end) for c in companies), *((m.start, m.end) for m in marks)]
    mentions = tuple(
        mention
        for mention in names.find(text)
        if mention.score >= FIRM
        and not _is_cut(text, mention)
        and not any(mention.start < end and start < mention.end for start, end in spans)
    )
    numbers = figures_in(text, [*spans, *((m.start, m.end) for m in mentions)])
    return Sentence(text, companies, unknown, marks, mentions, numbers)


def _is_cut(text: str, mention: Mention) -> bool:
    """Whether a name is the tail or head of a longer word: "non-trade receivables", "cash-settled"."""
    ahead, behind = text[max(0, mention.start - 2) : mention.start], text[mention.end : mention.end + 2]
    return (ahead[-1:] == "-" and ahead[:1].isalnum()) or (behind[:1] == "-" and behind[1:].isalnum())
