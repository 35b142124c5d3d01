"""Pure text helpers of the app: nothing from a filing, a user or a model is shown before it went through here.

Two kinds of text leave this module: plain text for widgets with markup off, and Markdown in which only our own
``cite:n`` links exist. What is copied can be checked elsewhere: answers and passages as Markdown, figures as a table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from rich.cells import cell_len, set_cell_size

from fin_tui.engine.answering.events import Passage
from fin_tui.engine.figures.shown import Figures, Grid
from fin_tui.records import Answer, Citation, Filing, Sentence
from fin_tui.records.answer import page_name

UNSUPPORTED_MARK = "⚠"
CITE_SCHEME = "cite:"
_MARKER = re.compile(r"\[(\d{1,3})\]")
_LEAD, _LEAD_OF_LIST, _SHORT_REST = 640, 800, 240
"""Characters of a long answer that are shown at once, and of a rest that isn't worth a fold."""
_QUESTION, _QUESTION_LINES = 300, 4
"""Characters and lines of a question that stand over its answer."""
_CITED_END = re.compile(rf"((?:\[\d{{1,3}}\])+|{UNSUPPORTED_MARK})(?=\s)")
_WIDTH_MARKS = {
    **dict.fromkeys((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x1F3FB, 0x1F400))),
    **dict.fromkeys((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0)),
    **{code: chr(ord("A") + code - 0x1F1E6) for code in range(0x1F1E6, 0x1F200)},
    0x2028: "\n",
    0x2029: "\n",
}
"""Variation selectors, skin tones, fillers and flag letters: terminals don't agree how wide they make what they stand at."""
_LONG = 4
"""Sentences up to which an answer is one paragraph."""
_PER_PARAGRAPH = 3
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|$)|.)?|\x9b[0-?]*[ -/]*[@-~]", re.DOTALL)


def clean(text: str) -> str:
    """``text`` without escape sequences, control and direction marks; line breaks and tabs stay."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _SEQUENCE.sub("", text).translate(_WIDTH_MARKS)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn"))


def drawn(text: str) -> str:
    """``text`` as one line of a screen shows it: nothing in it moves the cursor but by its own cells."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def one_line(text: str) -> str:
    """Clean text with all white space folded to single spaces."""
    return " ".join(clean(text).split())


def streamed_markdown(token: str) -> str:
    """A piece of the model's text for the streaming view: tags can't vanish as HTML, links can't form."""
    return clean(token).replace("<", "&lt;").replace("](", "] (")


def folded(question: str) -> str:
    """A question of a few lines as it was typed; of a pasted page its beginning, and how long it is."""
    text = clean(question).strip()
    beginning = "\n".join(text.split("\n")[:_QUESTION_LINES])[:_QUESTION]
    if beginning == text:
        return text
    return f"{beginning.rstrip()} … ({len(text.split()):,} words in all)"


def in_paragraphs(text: str, sentences: int = 1) -> str:
    """``text`` with a line break after every so many cited (or marked) sentences; text that has line breaks stays as it is."""
    if "\n" in text.strip():
        return text
    pieces = _CITED_END.split(text)
    ends = [piece for piece in ("".join(pair) for pair in zip(pieces[::2], [*pieces[1::2], ""], strict=True)) if piece.strip()]
    groups = [" ".join(piece.strip() for piece in ends[at : at + sentences]) for at in range(0, len(ends), sentences)]
    return "\n".join(groups)


def lead_and_rest(text: str) -> tuple[str, str]:
    """The first paragraphs of an answer, some lines of a screen, and what follows them; a short rest stays with them."""
    lines = text.strip().split("\n")
    lead: list[str] = []
    room = _LEAD_OF_LIST if sum(map(_is_item, lines)) > 1 else _LEAD
    while lines and (not lead or sum(map(len, lead)) + len(lines[0]) <= room):
        lead.append(lines.pop(0))
    if len(lead) == 1 and len(lead[0]) > _LEAD and (ends := [m.end() for m in _CITED_END.finditer(lead[0]) if m.end() <= _LEAD]):
        lines = [lead[0][ends[-1] :].lstrip(), *lines]
        lead = [lead[0][: ends[-1]]]
    rest = "\n".join(lines).strip("\n")
    return (text, "") if len(rest) <= _SHORT_REST else ("\n".join(lead).rstrip(), rest)


def _is_item(line: str) -> bool:
    """ "12. We depend on few suppliers. [3]"."""
    return line.partition(". ")[0].isdigit()


def answer_markdown(answer: str, sentences: Sequence[Sentence], known: Collection[int]) -> str:
    """The finished answer as Markdown: ``[n]`` of a known passage becomes a link, unsupported sentences carry ⚠.

    Numbers that no passage has stay plain text, so that a made-up citation never looks like a real one.
    """
    marked = _mark_unsupported(clean(answer), sentences)
    if len(sentences) > _LONG or "\n" in marked:
        marked = in_paragraphs(marked, _PER_PARAGRAPH).replace("\n", "\n\n")
    safe = marked.replace("<", "&lt;").replace("](", "] (")
    return _MARKER.sub(lambda match: _link(int(match[1]), known), safe)


def cited_numbers(text: str, known: Collection[int]) -> list[tuple[int, int, int]]:
    """(start, end, number) of every ``[n]`` in ``text`` whose passage is known, in order."""
    return [(m.start(), m.end(), int(m[1])) for m in _MARKER.finditer(text) if int(m[1]) in known]


def citation_of(href: str, known: Collection[int]) -> int | None:
    """The passage number that a link names, or None for any other scheme, form or unknown number."""
    number = href.removeprefix(CITE_SCHEME)
    if href.startswith(CITE_SCHEME) and number.isascii() and number.isdigit() and int(number) in known:
        return int(number)
    return None


def _link(number: int, known: Collection[int]) -> str:
    return f"[[{number}]]({CITE_SCHEME}{number})" if number in known else f"\\[{number}\\]"


def _mark_unsupported(answer: str, sentences: Sequence[Sentence]) -> str:
    out: list[str] = []
    at = 0
    for sentence in sentences:
        text = clean(sentence.text).strip()
        found = answer.find(text, at) if text else -1
        if found < 0:
            continue
        end = _after_markers(answer, found + len(text))
        out.append(answer[at:end])
        if sentence.support == "unsupported" and not answer[end : end + 3].strip().startswith(UNSUPPORTED_MARK):
            out.append(f" {UNSUPPORTED_MARK}")
        at = end
    out.append(answer[at:])
    return "".join(out)


def _after_markers(answer: str, at: int) -> int:
    """Where the ``[n]`` that follow a sentence end, so that the mark stands after them."""
    while match := _MARKER.match(answer, at + answer[at : at + 1].isspace()):
        at = match.end()
    return at


def year_label(filing: Filing) -> str:
    """ "FY2025", or the period end's year, or "year unknown"."""
    if filing.fiscal_year is not None:
        return f"FY{filing.fiscal_year}"
    return f"{filing.period_end:%Y}" if filing.period_end else "year unknown"


def place_label(citation: Citation) -> str:
    """Where a passage stands inside its filing: "Item 1A · p. 12"."""
    parts = [f"Item {clean(citation.item)}" if citation.item else "", clean(page_name(citation.page, citation.page_label))]
    return " · ".join(part for part in parts if part)


def filing_label(citation: Citation) -> str:
    """Whose filing a passage is from: "Apple Inc. FY2025", with the form when it is an amendment."""
    year = f"FY{citation.fiscal_year}" if citation.fiscal_year else (citation.period_end or "")
    form = citation.form if citation.form.endswith("/A") else ""
    return " ".join(part for part in (one_line(citation.company), year, clean(form)) if part)


def sort_name(company: str) -> str:
    """What a company is sorted by: its name without a leading article."""
    return one_line(company).casefold().removeprefix("the ")


def shorten(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells, with an ellipsis where it was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def answer_text(answer: Answer, passages: Sequence[Passage]) -> str:
    """Question, answer with [n], figures, what is noted of them, and the sources that it cites."""
    parts = [f"**{one_line(answer.question)}**", clean(answer.caution), clean(answer.answer).strip()]
    figures = Figures.of(answer)
    citations = [p.citation for p in passages] or list(answer.citations)
    if figures:
        grid = figures.page_grid(citations)
        parts += [_markdown_table(grid), *(f"- {line}" for line in (*figures.calculation_lines, *grid.notes))]
    parts += [f"Note: {clean(note)}" for note in answer.notes]
    cited = {number for sentence in answer.sentences for number in sentence.citations}
    cited |= {number for fact in answer.facts if (number := fact.get("citation")) is not None}
    sources = [c for c in citations if c.id in cited] or list(answer.citations)
    if sources:
        parts.append("Sources:\n" + "\n".join(f"- {source_line(c)}" for c in sources))
    return "\n\n".join(part for part in parts if part) + "\n"


def passage_text(passage: Passage) -> str:
    """The passage as it stands, then its reference and address."""
    quoted = "\n".join(f"> {line}" for line in clean(passage.text).strip().split("\n"))
    return f"{quoted}\n\n{source_line(passage.citation, quote=False)}\n"


def source_line(citation: Citation, *, quote: bool = True) -> str:
    """ "[1] Apple Inc. 10-K FY2025 (2025-09-27), Item 1A, p. 12: “…” accession or address"."""
    words = f": “{one_line(citation.words)}”" if quote and citation.quote else ""
    where = f" {one_line(citation.url)}" if citation.url else f" ({one_line(citation.file)})"
    return f"[{citation.id}] {one_line(citation.reference)}{words}{where}"


def _markdown_table(grid: Grid) -> str:
    rows = [list(grid.header), ["---", *["---:"] * (len(grid.header) - 1)]]
    for row in grid.rows:
        rows.append([f"{cell.text} [{cell.citation}]" if cell.citation else cell.text for cell in row])
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
