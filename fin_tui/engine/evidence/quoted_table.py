"""Rows of a filing's table as one small table: its title, the names of its columns, its unit once (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from fin_tui.facts.parts import column_words
from fin_tui.filings.table_header import caption_in
from fin_tui.language import clean
from fin_tui.records import Column, QuotedTable, Table

_INDENT = "  "


def quoted_table(table: Table, rows: Collection[int], title: str = "", words: str = "") -> QuotedTable | None:
    """The ``rows`` of ``table`` (by number) under the rows that head them; None where they hold nothing beside their labels, or
    no column says what it is of.

    ``title`` is taken where the table has none of its own; ``words``, a row in words, where its columns have no names: these
    stand over another table before it.
    """
    chosen = sorted(row for row in set(rows) if row >= table.header_rows)
    columns = sorted({cell.column for row in chosen for cell in table.rows[row] if cell.column and cell.text.strip()})
    if not columns:
        return None
    shared, names = _names([table.columns[at] if at < len(table.columns) else Column(()) for at in columns])
    if len(columns) > 1 and not any(names):
        names = _names_in(words, table, columns)
        if not names:
            return None
    told: list[tuple[str, ...]] = []
    above: tuple[str, ...] = ()
    for row in chosen:
        texts = {cell.column: _line(cell.text) for cell in table.rows[row]}
        path = tuple(filter(None, map(_line, table.row_paths[row] if row < len(table.row_paths) else ())))
        heads = path[:-1] if texts.get(0) else path
        period = _period_over(table, row)
        heads = (period, *heads) if period and period not in heads else heads
        known = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(heads, above, strict=False))))
        told += [(_INDENT * depth + heads[depth], *("" for _ in columns)) for depth in range(known, len(heads))]
        above = (*heads, texts[0]) if texts.get(0) else heads
        values = tuple(texts.get(at, "") for at in columns)
        if not texts.get(0) and known < len(heads):  # The heading is the name of a row without one.
            told[-1] = (told[-1][0], *values)
        else:
            told.append((_INDENT * len(heads) + texts.get(0, ""), *values))
    unit = _line(table.units).strip("()")
    return QuotedTable(
        _line(table.title).rstrip(": ") or title,
        (", ".join(filter(None, (unit, shared.rstrip(" ,:")))), *names),
        tuple(told),
    )


def _period_over(table: Table, row: int) -> str:
    """The year or day that heads a group of rows, though no label says so: the last row above that names a period alone."""
    for number in range(row - 1, table.header_rows - 1, -1):
        texts = [_line(cell.text) for cell in table.rows[number] if cell.text.strip()]
        if len(texts) == 1 and any(c.isdigit() for c in texts[0]) and not column_words(texts):
            return texts[0]
    return ""


def rows_at(table: Table, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The numbers of the rows that stand in any of ``spans`` (clean text)."""
    placed = [(number, row[0].start, row[-1].end) for number, row in enumerate(table.rows) if row]
    return [number for number, start, end in placed if any(begin < end and start < stop for begin, stop in spans)]


def as_text(quoted: QuotedTable) -> str:
    """Title and rows, for what reads text alone: a Markdown table."""
    return f"{quoted.title}\n\n{as_markdown(quoted)}".strip()


def as_markdown(quoted: QuotedTable) -> str:
    """The rows as a Markdown table."""
    lines = [quoted.header, ("---", *("---:" for _ in quoted.header[1:])), *quoted.rows]
    return "\n".join(f"| {' | '.join(cell.strip().replace('|', '/') for cell in line)} |" for line in lines)


def _names(columns: Sequence[Column]) -> tuple[str, list[str]]:
    """What the headers of all columns begin with ("Year ended December 31,"), and the rest of each; units stand elsewhere."""
    headers = [[_line(text) for text in column.header if text.strip() and not caption_in(text)] for column in columns]
    shared: list[str] = []
    while len(headers) > 1 and all(len(header) > 1 for header in headers) and len({header[0] for header in headers}) == 1:
        shared.append(headers[0][0])
        headers = [header[1:] for header in headers]
    return " ".join(shared), [" ".join(header) for header in headers]


def _names_in(words: str, table: Table, columns: Sequence[int]) -> list[str]:
    """The names of the columns in "Services: 2024 73.9%; 2023 70.8%."; empty where a row with all columns is not worded so."""
    told = words.rpartition(": ")[2].split("; ")
    for row in table.rows[table.header_rows :]:
        cells = {cell.column: _line(cell.text) for cell in row}
        if len(told) == len(columns) and all(cells.get(at, "\0") in said for at, said in zip(columns, told, strict=True)):
            names = [said.partition(cells[at])[0].strip() for at, said in zip(columns, told, strict=True)]
            return names if all(names) else []
    return []


def _line(text: str) -> str:
    return " ".join(clean(text).split())
