"""EDGAR's answers, without a network: every list and file check is given the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from fin_tui.config import Edgar
from fin_tui.errors import FinTuiError
from fin_tui.filings.edgar.client import Broken, Client, Contact, EdgarError, TooLarge, unpacked
from fin_tui.filings.edgar.submissions import Companies, _page_is_whole, _submission_is_whole, find_accession, pages

T = TypeVar("T")
_MOST = 1 << 20


class _Canned(Client):
    """Answers every request with ``body``."""

    def __init__(self, body: bytes) -> None:
        super().__init__(Edgar(), Contact("A Test", "test@example.org"), lambda: False)
        self._body = body
        self._left = 20

    def read(self, address: str, check: Callable[[bytes], T]) -> T:
        self._left -= 1
        if self._left < 0:
            raise EdgarError("No more.")
        try:
            return check(self._body)
        except Broken as error:
            raise EdgarError(str(error)) from error


def read_answers(raw: bytes) -> None:
    """The list of companies, a company's filings, a quarter's index, a document and a packed transfer."""
    with suppress(FinTuiError):
        Companies(_Canned(raw)).find("Example")
    with suppress(FinTuiError):
        for page in pages(_Canned(raw), "0000004242"):
            for listed in page.listed:
                assert "/" not in listed.document
                assert "\\" not in listed.document
                assert ".." not in listed.document
                assert isinstance(listed.label, str)
    with suppress(FinTuiError):
        assert len(find_accession(_Canned(raw), "0000004242-24-000010").company.cik) == 10
    for check in (_page_is_whole, _submission_is_whole):
        with suppress(Broken):
            check(raw)
    with suppress(Broken, TooLarge):
        assert len(unpacked(raw, _MOST)) <= _MOST
