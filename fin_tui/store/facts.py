"""Facts of all filings, found by concept, label, period and filing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Unpack

from fin_tui.records import Fact
from fin_tui.store import codec
from fin_tui.store.corpus import FactConditions
from fin_tui.store.database import Database

_COLUMNS = (
    "facts.concept, facts.label, facts.value, facts.text, facts.unit, facts.period_start, facts.period_end, facts.dimensions, "
    "facts.decimals, facts.source, facts.start, facts.end, facts.block"
)


class Facts:
    """Reads the facts table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, **wanted: Unpack[FactConditions]) -> tuple[Fact, ...]:
        """Facts by filing and reading order."""
        return tuple(fact for _, fact in self.find_with_filing(**wanted))

    def find_with_filing(self, **wanted: Unpack[FactConditions]) -> tuple[tuple[str, Fact], ...]:
        """(filing id, fact) by filing and reading order."""
        conditions, parameters = ["1"], list[object]()
        for column, values in (
            ("facts.concept", list(wanted.get("concepts", ()))),
            ("filings.id", list(wanted.get("filings", ()))),
            ("facts.period_end", [end.isoformat() for end in wanted.get("period_ends", ())]),
        ):
            if values:
                conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
                parameters.append(codec.to_json(values))
        if label := wanted.get("label"):
            conditions.append("instr(lower(facts.label), lower(?))")
            parameters.append(label)
        if source := wanted.get("source"):
            conditions.append("facts.source = ?")
            parameters.append(source)
        rows = self._database.rows(
            f"SELECT filings.id AS filing_id, {_COLUMNS} FROM facts JOIN filings ON filings.number = facts.filing "
            f"WHERE {' AND '.join(conditions)} ORDER BY facts.filing, facts.number",
            parameters,
        )
        return tuple((row["filing_id"], _from_row(row)) for row in rows)


def put(connection: sqlite3.Connection, number: int, facts: Sequence[Fact]) -> None:
    """Write the facts of filing row ``number`` in place of those it had."""
    connection.execute("DELETE FROM facts WHERE filing = ?", (number,))
    connection.executemany(
        "INSERT INTO facts (filing, concept, label, value, text, unit, period_start, period_end, dimensions, decimals, source, "
        "start, end, block) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                fact.concept,
                fact.label,
                fact.value,
                fact.text,
                fact.unit,
                codec.iso(fact.period_start),
                codec.iso(fact.period_end),
                codec.to_json(dict(fact.dimensions)) if fact.dimensions else "{}",
                fact.decimals,
                fact.source,
                fact.start,
                fact.end,
                fact.block,
            )
            for fact in facts
        ],
    )


def _from_row(row: sqlite3.Row) -> Fact:
    dimensions = row["dimensions"]
    return Fact(
        concept=row["concept"],
        label=row["label"],
        value=row["value"],
        text=row["text"],
        unit=row["unit"],
        period_start=codec.date(row["period_start"]),
        period_end=codec.date(row["period_end"]),
        dimensions=codec.from_json(dimensions, dict[str, str]) if dimensions != "{}" else {},
        decimals=row["decimals"],
        source=row["source"],
        start=row["start"],
        end=row["end"],
        block=row["block"],
    )
