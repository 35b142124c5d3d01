"""Which filings a corpus holds now, looked up again when its mark of the last change is another."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

from fin_tui.records import Filing
from fin_tui.team import schema
from fin_tui.team.link import Link
from fin_tui.team.rows import Record
from fin_tui.team.stored import to_record

FRESH_SECONDS = 3.0
"""A change is seen at the latest after this time."""


@dataclass(frozen=True)
class State:
    """The filings at one moment."""

    generation: int
    """Differs from that of any other state which this process saw."""
    filings: tuple[Filing, ...]
    """Complete ones, by company and period."""
    records: Mapping[str, Record]
    """Of the complete ones, by filing id."""
    by_number: Mapping[int, Filing]
    hidden: tuple[int, ...]
    """Numbers of filings that are half there: nothing of them may be found."""


class Watch:
    """Tells the state. Usable from several threads."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        self._link = link
        self._now = now
        self._lock = Lock()
        self._mark = ""
        self._looked = float("-inf")
        self._state: State | None = None

    def state(self) -> State:
        """The state now, at most ``FRESH_SECONDS`` old. Raises ``FinTuiError`` when the server fails."""
        with self._lock:
            if self._state is not None and self._now() - self._looked < FRESH_SECONDS:
                return self._state
            rows = self._link.get(schema.FILINGS, [schema.STAMP_KEY], ["data"], is_fresh=True)
            mark = str(rows[0]["data"]) if rows else ""
            if self._state is None or mark != self._mark:
                self._state = self._read(self._state.generation + 1 if self._state is not None else 1)
                self._mark = mark
            self._looked = self._now()
            return self._state

    def _read(self, generation: int) -> State:
        records = [to_record(row) for row in self._link.each(schema.FILINGS, 'kind == "record"', ["data"])]
        whole = {record.filing.id: record for record in records if record.state == "complete"}
        filings = sorted((record.filing for record in whole.values()), key=_order)
        return State(
            generation,
            tuple(filings),
            whole,
            {record.number: record.filing for record in whole.values()},
            tuple(sorted(record.number for record in records if record.state != "complete")),
        )


def _order(filing: Filing) -> tuple[str, bool, str, str]:
    return filing.company.casefold(), filing.period_end is None, str(filing.period_end), filing.id
