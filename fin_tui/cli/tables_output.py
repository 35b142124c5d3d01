"""How ``fin-tui show --tables`` prints the tables of a filing: a list for people, rows as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import dumps, label, shown
from fin_tui.errors import NotFound

if TYPE_CHECKING:
    from fin_tui.records import Filing
    from fin_tui.store.corpus import Corpus


def print_tables(library: Corpus, filing: Filing, item: str | None, page: int | None, *, as_json: bool) -> None:
    """Print the tables of an Item, of a page, or all. Raises ``NotFound`` when there are none."""
    from fin_tui.facts.as_rows import tables_as_rows

    items = _items(item)
    chosen = [
        table
        for table in tables_as_rows(library.document(filing.id), library.sections(filing.id))
        if (items is None or table["item"] in items) and (page is None or table["page"] == page)
    ]
    if not chosen:
        raise NotFound(f"{label(filing)} has no such tables", "fin-tui show FILING --tables lists all of them.")
    if as_json:
        print(dumps(chosen))
        return
    for table in chosen:
        print(_line(table))


def _items(item: str | None) -> frozenset[str] | None:
    if item is None:
        return None
    from fin_tui.retrieval.scope import item_numbers

    return frozenset(item_numbers(item))


def _line(table: dict[str, Any]) -> str:
    place = f"p. {table['page']}" + (f", Item {table['item']}" if table["item"] else "")
    units = f"  {shown(table['units'])}" if table["units"] else ""
    return f"{table['table']:>4}  {place:<18}  {len(table['rows']):>3} rows  {shown(table['title'] or '–')}{units}"
