"""Files in: read, cut into passages, stored in one transaction each, indexed, embedded.

Here stands what is asked of it: files found behind the paths that a user gives, what the user says against the reader, the job as
a whole, and what it answers besides outcomes. ``pipeline.py`` does it, ``worker.py`` in a process of its own.
"""

from __future__ import annotations

import datetime as dt
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from fin_tui.config import Settings
from fin_tui.errors import BadFiling, FinTuiError, UsageError, said
from fin_tui.filings.reader import company_key
from fin_tui.filings.submission import MAX_BYTES
from fin_tui.paths import Paths
from fin_tui.records import Cover, Filing, Progress

_FIRST_YEAR, _LAST_YEAR = 1900, 2200


@dataclass(frozen=True, slots=True)
class Corrections:
    """Empty strings leave what the reader found. Values as typed: they are checked by :func:`checked`."""

    company: str = ""
    """Name, ticker or CIK."""
    form: str = ""
    year: str = ""
    period_end: str = ""
    """ISO date."""
    ticker: str = ""

    def as_mapping(self) -> dict[str, str]:
        """The fields that are given, for the library."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    @classmethod
    def from_mapping(cls, given: Mapping[str, str]) -> Corrections:
        """The inverse of :meth:`as_mapping`; unknown names are ignored."""
        return cls(**{field.name: given[field.name] for field in fields(cls) if field.name in given})

    def over(self, earlier: Corrections) -> Corrections:
        """These, and where they say nothing the ``earlier`` ones."""
        return Corrections.from_mapping({**earlier.as_mapping(), **self.as_mapping()})


def checked(
    company: str | None, form: str | None, year: int | None, period_end: str | None, ticker: str | None = None
) -> Corrections:
    """Corrections from command-line values; raises ``UsageError`` naming the wrong one."""
    if period_end:
        try:
            period_end = dt.date.fromisoformat(period_end.strip()).isoformat()
        except ValueError as error:
            raise UsageError(f"--period-end {period_end!r} is not a date", "Write it as 2024-09-28.") from error
    if year is not None and not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise UsageError(f"--year {year} is not a fiscal year", "Write it with four digits, as 2024.")
    return Corrections(
        company=" ".join((company or "").split()),
        form=(form or "").strip().upper(),
        year=str(year) if year is not None else "",
        period_end=period_end or "",
        ticker=(ticker or "").strip().upper(),
    )


def corrected(filing: Filing, corrections: Corrections, cover: Cover, held: Sequence[Filing]) -> Filing:
    """``filing`` with the corrections applied.

    A company that is ``held`` already brings its name, key, CIK and ticker; a new name gives a new key only when the key was
    the name, as the numbers on the cover say more than a spelling.
    """
    filing = _with_company(filing, corrections.company, cover, held) if corrections.company else filing
    period_end = dt.date.fromisoformat(corrections.period_end) if corrections.period_end else filing.period_end
    year = int(corrections.year) if corrections.year else filing.fiscal_year
    if corrections.period_end and not corrections.year and filing.fiscal_year is None and period_end:
        year = period_end.year
    return replace(
        filing,
        form=corrections.form or filing.form,
        fiscal_year=year,
        period_end=period_end,
        ticker=corrections.ticker or filing.ticker,
    )


def _with_company(filing: Filing, company: str, cover: Cover, held: Sequence[Filing]) -> Filing:
    from fin_tui.store.filings import exact_keys

    others = [other for other in held if other.id != filing.id]
    keys = exact_keys(company, others)
    if len(keys) == 1:
        same = next(other for other in others if other.company_key == keys[0])
        return replace(filing, company=same.company, company_key=same.company_key, cik=same.cik, ticker=same.ticker)
    if company.isdigit() and len(company) <= 10:
        return replace(filing, cik=company.zfill(10), company_key=company_key(Cover(cik=company.zfill(10))))
    if filing.company_key.startswith("name:"):
        return replace(filing, company=company, company_key=company_key(replace(cover, company=company)))
    return replace(filing, company=company)


SUFFIXES = frozenset({".htm", ".html", ".xhtml", ".txt", ".pdf", ".sgml", ".sgm"})
_SUBMISSION = "full-submission.txt"


def expand(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Files as they are, folders as the filings under them, each file once.

    In a folder that holds a full submission, the documents beside it are copies of what is inside it and are left out.
    Paths that do not exist stay in, so that they are reported one by one.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _under(path) if path.is_dir() else [path]:
            found.setdefault(file.resolve(), file)
    return tuple(found.values())


def _under(folder: Path) -> list[Path]:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file()]
    files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    whole = {path.parent for path in files if path.name == _SUBMISSION}
    return [path for path in files if path.parent not in whole or path.name == _SUBMISSION]


def read_bytes(path: Path) -> bytes:
    """The file's bytes; raises ``BadFiling`` for an empty or an enormous one, ``FinTuiError`` for one that can't be read."""
    try:
        known = path.stat()
        if stat.S_ISDIR(known.st_mode):
            raise FinTuiError(f"{path} is a folder", "Give it to fin-tui add, which takes the filings in it.")
        if not stat.S_ISREG(known.st_mode):
            raise FinTuiError(f"{path} is not a regular file", "Save what it gives as a file first.")
        if known.st_size > MAX_BYTES:
            size = f"{path.name} has {known.st_size >> 20} MB; a filing has at most {MAX_BYTES >> 20} MB"
            raise BadFiling(size, "Give the filing's main document alone.")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise FinTuiError(f"No file {path}", "Check the path.") from error
    except OSError as error:
        raise FinTuiError(f"Can't read {path}: {said(error)}", "Check its permissions.") from error
    if not raw.strip():
        raise BadFiling(f"{path.name} is empty", "Save or download it again.")
    return raw


@dataclass(frozen=True, slots=True)
class Added:
    """A filing stands in the library, on disk, and can be searched by words."""

    path: str
    filing: Filing
    seconds: float
    replaced: Filing | None = None
    """The version of the same filing whose place it took."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was done, and why: its bytes are held already."""

    path: str
    why: str
    filing: Filing | None = None

    def document(self) -> dict[str, str | None]:
        """As JSON shows it."""
        return {"path": self.path, "why": self.why, "filing": self.filing.id if self.filing else None}


@dataclass(frozen=True, slots=True)
class FailedFile:
    """This file could not be added; the library is as it was before it."""

    path: str
    message: str
    hint: str = ""

    def document(self) -> dict[str, str]:
        """As JSON shows it."""
        return {"path": self.path, "message": self.message, "hint": self.hint}


@dataclass(frozen=True, slots=True)
class Embedded:
    """The last word on vectors."""

    done: int
    """Chunks that have one."""
    total: int
    note: str = ""
    """Why some are missing: no weights, another process at work, stopped."""

    def document(self) -> dict[str, int | str]:
        """As JSON shows it."""
        return {"done": self.done, "total": self.total, "note": self.note}


Outcome = Progress | Added | Skipped | FailedFile | Embedded


@dataclass(frozen=True, slots=True)
class Job:
    """What the child is to do: take ``files`` (absolute paths) in, read ``filings`` again, then embed."""

    paths: Paths
    settings: Settings
    files: tuple[Path, ...] = ()
    filings: tuple[str, ...] = ()
    """Ids."""
    corrections: Corrections = field(default_factory=Corrections)
    force: bool = False
    embed: bool = True
    known: Mapping[Path, Cover] = field(default_factory=dict)
    """What EDGAR says of some of the files."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The child's last word when the work as a whole failed."""

    kind: type[FinTuiError]
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The child's last word when all is done."""


Message = Outcome | Failure | Finished
