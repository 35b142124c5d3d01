"""A company and a filing as EDGAR lists them."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HTML = (".htm", ".html")


@dataclass(frozen=True, slots=True)
class Company:
    """Who files. From outside: clean before it is shown."""

    cik: str
    """Ten digits."""
    name: str = ""
    ticker: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A filing that can be fetched. Its fields are checked: safe as parts of an address and of a path."""

    accession: str
    company: Company
    form: str
    filed: dt.date | None
    period_end: dt.date | None
    document: str = ""
    """Base name of the primary HTML document; "" when there is only the full submission (before 2001)."""
    size: int = 0
    """Bytes of the full submission; 0 when EDGAR does not say. No document of it is larger."""

    @property
    def is_amendment(self) -> bool:
        return self.form.endswith("/A")

    @property
    def base_form(self) -> str:
        return self.form.removesuffix("/A")

    @property
    def year(self) -> int:
        """Of the period's end, else the year before it was filed."""
        if self.period_end:
            return self.period_end.year
        return self.filed.year - 1 if self.filed else 0

    @property
    def label(self) -> str:
        """For people; not cleaned."""
        name = self.company.ticker or self.company.name or self.company.cik
        return f"{name} {self.form} {self.period_end or self.filed or ''} ({self.accession})"


def spelled_accession(text: str) -> str:
    """``text`` as an accession number with its dashes; "" when it is none."""
    digits = text.strip().replace("-", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == 18):
        return ""
    return f"{digits[:10]}-{digits[10:12]}-{digits[12:]}"


def safe_document(name: str) -> str:
    """The base name of an HTML primary document; "" when it is of another kind, or no plain file name."""
    base = name.rsplit("/", 1)[-1]
    is_plain = bool(_SAFE_NAME.fullmatch(base)) and ".." not in name and "\\" not in name
    return base if is_plain and base.lower().endswith(_HTML) else ""


def day(text: str) -> dt.date | None:
    """An ISO date; None when it is none."""
    try:
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None
