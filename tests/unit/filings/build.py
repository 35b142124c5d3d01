"""Small documents for the tests of sections and chunks."""

from collections.abc import Sequence

from fin_tui.filings.table_cells import RawCell
from fin_tui.filings.tables import DocumentBuilder
from fin_tui.records import BlockKind, Cover, Document, Filing

Part = tuple[str, str] | tuple[str, list[list[str]]]


def document(parts: Sequence[Part]) -> Document:
    """From ("h2", text), ("p", text), ("li", text) and ("table", rows) parts; a form feed part ("page", label) turns the page."""
    builder = DocumentBuilder()
    page, label = 1, ""
    above: list[str] = []
    for kind, content in parts:
        if kind == "page":
            page, label = page + 1, str(content)
        elif kind == "table":
            assert isinstance(content, list)
            cells = [RawCell(text, i, j) for i, row in enumerate(content) for j, text in enumerate(row)]
            builder.add_table(cells, page=page, page_label=label, above=above[-3:])
        else:
            assert isinstance(content, str)
            names = {"p": BlockKind.PARAGRAPH, "li": BlockKind.LIST}
            level = int(kind[1]) if kind[0] == "h" else 0
            builder.add(names.get(kind, BlockKind.HEADING), content, page=page, page_label=label, level=level)
            above.append(content)
    return Document("html", builder.text, tuple(builder.blocks), page, Cover())


def filing(**changes: str) -> Filing:
    return Filing(
        id=changes.get("id", "sha256:0123456789abcdef"),
        file="acme.htm",
        company="Acme Corp.",
        company_key="name:acme",
        form="10-K",
        fiscal_year=2024,
        period_end=None,
        ticker=changes.get("ticker", "ACME"),
    )


def prose(words: int, *, sentence: int = 12) -> str:
    """That many different words in sentences of ``sentence`` words."""
    made = [f"word{i}" for i in range(words)]
    sentences = [" ".join(made[i : i + sentence]).capitalize() + "." for i in range(0, words, sentence)]
    return " ".join(sentences)
