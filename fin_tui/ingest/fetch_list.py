"""Wishes from a file: many companies, each with what is wanted of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from fin_tui.errors import UsageError, said
from fin_tui.filings.edgar.listing import ANNUAL, Selection, spelled_accession
from fin_tui.ingest.fetch_plan import Wish

_EXAMPLE = 'Write [[company]] with name = "AAPL" (ticker, CIK or name) and, if wanted, years, form, after, before, amends.'
_FIRST_YEAR = 1990


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    years: Annotated[int, Meta(ge=1, le=60)] | None = None
    year: list[Annotated[int, Meta(ge=_FIRST_YEAR, le=2200)]] = []
    form: str | None = None
    after: dt.date | None = None
    before: dt.date | None = None
    amends: bool | None = None
    accession: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    company: list[_Entry] = []


def read_list(file: Path, common: Selection) -> tuple[Wish, ...]:
    """The wishes of a TOML file; ``common`` holds for what an entry does not say. Raises ``UsageError``."""
    try:
        entries = msgspec.toml.decode(file.read_bytes(), type=_File).company
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {said(error)}", _EXAMPLE) from error
    if not entries:
        raise UsageError(f"{file} names no company.", _EXAMPLE)
    return tuple(_wish(entry, common, file) for entry in entries)


def _wish(entry: _Entry, common: Selection, file: Path) -> Wish:
    accession = spelled_accession(entry.accession)
    if entry.accession and not accession:
        raise UsageError(f"{file}: {entry.accession!r} is no accession number", "Write it as 0000320193-24-000123.")
    if not entry.name.strip() and not accession:
        raise UsageError(f"{file}: an entry has neither name nor accession.", _EXAMPLE)
    selection = Selection(
        forms=forms_of(entry.form) if entry.form else common.forms,
        newest=entry.years if entry.years is not None else common.newest,
        after=entry.after or common.after,
        before=entry.before or common.before,
        years=tuple(entry.year) or common.years,
        amends=common.amends if entry.amends is None else entry.amends,
    )
    return Wish(entry.name.strip(), selection, accession)


def forms_of(form: str) -> tuple[str, ...]:
    """The forms that a name means. Raises ``UsageError`` for one that is no annual report on Form 10-K."""
    wanted = form.strip().upper().removesuffix("/A")
    if wanted not in ANNUAL:
        raise UsageError(f"{form!r} can't be fetched", f"Known: {', '.join(ANNUAL)}; --amends brings their amendments.")
    return (wanted,)
