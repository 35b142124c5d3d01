"""Cells as sentences: what it is, of which period, in the filing's own unit and precision (pure)."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from fin_tui.candidates import words_of
from fin_tui.engine.figures.ground import Cell
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Name, write
from fin_tui.facts.figures import (
    HOW_READ,
    TOLD_PLACES,
    Figure,
    Unit,
    plain,
    printed_places,
    printed_scale,
    rounded,
    show,
    show_fact,
    show_printed,
    told_scale,
)
from fin_tui.facts.index import LONGEST_QUARTER
from fin_tui.facts.parts import is_span
from fin_tui.facts.words import member_names, spoken_name, stems, without_note
from fin_tui.language import runs_of

_BEHIND = frozenset("of for from to in on per by before after with excluding attributable as at due".split())
_BEHIND_COMMA = frozenset("net total less before excluding".split())
_LOSS = frozenset(("loss", "losses", "deficit", "net loss", "net losses", "net deficit"))
_PER = frozenset(("per", "EPS"))
_LONGEST_LABEL = 60
_LONGEST_NAME = 90
_MOST_OVER = 6
"""Words of a heading or a column that stand in a name: what is longer is a title."""
_MOST_HEADINGS = 2
_SHORT = {word.lower(): word for word in "EBITDA EBIT EPS ROE ROA ROIC R&D SG&A FCF D&A".split()}
_WHOLE = 1000
"""Dollars from which cents say nothing."""
_SEVERAL_WORDS = 2
_LINKS = frozenset(("of", "and", "the", "in", "for", "to", "by", "from", "on", "at", "per", "with", "or"))
_TOTAL = frozenset(stems("total"))
_VAGUE = frozenset(("total", "net", "amount", "balance", "basic", "diluted", "current", "noncurrent", "non-current", "other"))


def show_figure(figure: Figure, scale: int = 0, *, in_table: bool = False) -> str:
    """A figure as people write it, ``in_table`` as its filing prints it; in units of ``scale`` dollars when that is asked for."""
    if scale and figure.unit == "usd":
        return show(figure.value, "usd", scale=scale)
    if figure.unit == "%":
        return show(figure.value, "%")
    return (show_printed if in_table else show_fact)(figure.value, figure.unit, figure.fact)


def figure_sentence(company: str, figure: Figure, label: str, scale: int = 0, *, own: bool = True) -> str:
    """ "Apple's total net sales were $391,035 million in FY2024 (year ended 2024-09-28)."

    ``own``: call it as its row does, where that says enough.
    """
    name = label_of(figure, label) if own else label
    value = without_per(name, show_figure(figure, scale))
    period = period_of(figure)
    when = period if is_ahead(figure) else f"in {period}" if figure.period.label else period.strip("()")
    told = f"{possessive(company)} {name} {verb_of(name)} {value} {when}."
    if figure.restated is not None and figure.restated_in is not None:
        restated = show_fact(figure.restated, figure.unit, figure.fact)
        told += f" Restated as {restated} in the {_filing_year(figure)} filing."
    note = "; ".join(part for part in figure.note.split("; ") if part not in HOW_READ)
    if note and note != f"from the {figure.period.label} filing":
        told = f"{told[:-2]}; {note})." if told.endswith(").") else f"{told[:-1]} ({note})."
    return told


def with_label(label: str, shown: str) -> str:
    """ "revenue $97,690 million", "diluted earnings per share $2.04": what the label says is not said again."""
    return f"{label} {without_per(label, shown)}"


def without_per(label: str, shown: str) -> str:
    """``shown`` without the "per share" that its label says."""
    return shown.replace(" per share", "") if _PER.intersection(runs_of(label)) else shown


def possessive(company: str) -> str:
    """ "Apple's", "Meta Platforms'", "Boeing's"."""
    name = spoken_name(company)
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def verb_of(label: str) -> str:
    """ "was" or "were", by the last word of what is named: net sales were, cost of sales was."""
    named = ""
    for word in label.partition("(")[0].partition(":")[0].split():
        first = runs_of(word)[:1]
        if named.endswith(",") and not _BEHIND_COMMA.isdisjoint(first):
            named = named.removesuffix(",")
            break
        if named and not _BEHIND.isdisjoint(first):
            break
        named = word.lower()
    return "were" if named.endswith("s") and not named.endswith(("ss", "eps")) else "was"


def _filing_year(figure: Figure) -> str:
    filing = figure.restated_in
    return f"FY{filing.fiscal_year}" if filing is not None and filing.fiscal_year else "later"


_ITEM = ("item", "items")
_OF_YEARS = frozenset(("fiscal", "fy", "year", "years", "and", "later"))


def _is_item(text: str) -> bool:
    """Whether a heading is that of an Item: "Item 8. …"."""
    first, _, rest = text.partition(" ")
    return first.lower() in _ITEM and rest[:1].isdigit()


def row_name(figure: Figure, label: str = "") -> str:
    """What the filing calls a figure that was ranked among others, of a table without tags: its row, in brackets the headings and
    the column it stands under ("Footwear (revenues, EMEA Region)"); ``label`` where that has the same words. "" of other figures,
    and where the row says too much for a name.
    """
    if figure.sure is None or figure.fact.source != "table" or not figure.row:
        return ""
    own, *over = [part.strip(" :") for part in figure.row.replace(" < ", " | ").split(" | ")]
    if all(any(map(str.isdigit, word)) or word.lower() in _OF_YEARS for word in own.split()):
        return ""  # A row of a year says when, not what.
    more = (part.lower() if part.isupper() else part for part in over if len(part.split()) <= _MOST_OVER and not _is_item(part))
    told = [lowered(part) for part in more if not set(stems(part)) <= set(stems(own))]
    name = f"{lowered(own)} ({', '.join(told[:_MOST_HEADINGS])})" if told else lowered(own)
    asked = set(stems(label))
    if asked and (set(stems(name)) == asked or (set(stems(own)) - _TOTAL <= asked <= set(stems(name)))):
        return label
    return name if own and len(name) <= _LONGEST_NAME else ""


def as_written(label: str) -> str:
    """A name with the capitals that its short forms have: "EBITDA margin"."""
    return " ".join(_SHORT.get(word, word) for word in label.split(" "))


def lowered(text: str) -> str:
    """A name in sentence case as it stands within a sentence."""
    first, *rest = text.split() or [""]
    is_sentence_case = text[1:2].islower() and not any(word[:1].isupper() for word in rest)
    # A title would have a second capital: "Net loss attributable to Acme Shareholders".
    goes_on_small = bool(rest) and rest[0][:1].islower() and rest[0] not in _LINKS and bool(set(stems(first)) & _common())
    is_sentence_case = is_sentence_case or (text[1:2].islower() and goes_on_small)
    may_be_lower = len(text.split()) > 1 or bool(set(stems(text)) & _common())
    return text[:1].lower() + text[1:] if is_sentence_case and may_be_lower else text


@cache
def _common() -> frozenset[str]:
    """Stems of the words that figures are called by: one word that is none of them may be a place or a brand."""
    return frozenset(stems(" ".join(name for metric in vocabulary().metrics for name in metric.names)))


def label_of(figure: Figure, label: str) -> str:
    """The row's own label, else what the question calls it."""
    if name := row_name(figure, label):
        return name
    own = _in_small_letters(without_note(figure.label.strip().rstrip(":")), figure.filing.company)
    own = _of_gain(own) if figure.value > 0 else own
    if not any(map(str.isalpha, own)):
        return label  # The row has no label of its own.
    if any(map(str.isdigit, "".join(_in_brackets(own)))):
        return label  # "Cash dividends paid ($4.70 per share)" has a figure in its name.
    if figure.sure is not None and figure.fact.dimensions and set(stems(own)) - set(stems(label)):
        # Found by words, it may be another figure than asked for, or one of a part that was not.
        members = ", ".join(member_names(member, figure.filing.company)[0] for member in figure.fact.dimensions.values())
        return own if set(stems(own)) & set(stems(members)) else f"{lowered(own)} ({members})"
    says_less = own != label and set(stems(own)) < set(stems(label)) and not _adds(label, figure)
    if (
        not own
        or says_less
        or own.lower() in _VAGUE
        or is_span(own)
        or len(own) > _LONGEST_LABEL
        or (figure.fact.dimensions and " " in label)
    ):
        return label
    is_proper = own.split()[0] in label.split()  # As the question writes it, "Japan".
    return own if figure.fact.dimensions or is_proper else lowered(own)


def _adds(label: str, figure: Figure) -> bool:
    """Whether the words of a question say more than all that names a figure which was found by them: "anvils, repairs"."""
    told = stems(f"{figure.label} {figure.row} {figure.fact.label} {words_of(figure.fact.concept)}")
    return figure.sure is not None and not set(stems(label)) <= {*told, *_TOTAL}


def _in_brackets(label: str) -> list[str]:
    """What stands in brackets that hold no others."""
    parts = (part.partition(")") for part in label.split("(")[1:])
    return [inner for inner, closing, _ in parts if closing]


def _of_gain(label: str) -> str:
    """What a row for gains and losses is called where it is a gain: "net income (loss)" -> "net income"."""
    said = label
    for inner in _in_brackets(label):
        said = said.replace(f"({inner})", " ") if inner.lower() in _LOSS else said
    kept = " ".join(said.split())
    return kept if len(kept.split()) >= _SEVERAL_WORDS or kept.lower() in ("income", "earnings", "profit") else label


def _in_small_letters(label: str, company: str) -> str:
    """A label printed in capitals as it stands within a sentence; the company's name and short forms keep theirs."""
    if not label.isupper() or len(label.split()) < _SEVERAL_WORDS:
        return label
    names = {word.lower(): word for word in spoken_name(company).split() if word[:1].isupper()}
    return as_written(" ".join(names.get(word, word) for word in label.lower().split()))


def own_label(figure: Figure) -> str:
    """The row's label, with the figure's name where a row like "Diluted" says too little by itself."""
    metric = vocabulary().get(figure.metric) if figure.metric else None
    is_vague = figure.label.strip(" :").lower() in _VAGUE
    return metric.names[0] if metric is not None and is_vague else figure.label


def period_of(figure: Figure) -> str:
    """ "FY2024 (year ended 2024-09-28)", "Q2 FY2024 (quarter ended …)", or "as of 2024-09-28" for a balance; "for FY2027, as of
    2024-09-28" of what a filing tells of a year after its own.
    """
    fact = figure.fact
    day = fact.period_end or figure.period.end
    if is_ahead(figure):
        return f"for {figure.period.label}, as of {figure.filing.period_end}"
    label = f"{figure.period.label} " if figure.period.label else ""
    if fact.period_start is None:
        return f"{label}(as of {day})"
    return f"{label}({'quarter' if (day - fact.period_start).days < LONGEST_QUARTER else 'year'} ended {day})"


def is_ahead(figure: Figure) -> bool:
    """Whether the figure is one of a year that its filing only looks ahead to: it falls due, or is planned, then."""
    year, own = figure.period.label.removeprefix("FY"), figure.filing.fiscal_year
    return own is not None and year.isdigit() and int(year) > own


def result(cell: Cell, scale: int = 0, places: int | None = None, *, in_table: bool = False) -> str:
    """A cell's result for people; ``in_table`` amounts of money stay in the scale in which its figures are printed."""
    measure = cell.measure
    if measure is None:
        return cell.gap.why if cell.gap else "not found"
    if cell.single is not None and not scale and places is None:
        return show_figure(cell.single, in_table=in_table)
    if measure.unit in ("usd", "shares"):
        return _in_unit_of(cell, measure.value, measure.unit, scale, places, in_table=in_table)
    if measure.unit == "%":
        if is_points(cell):
            return f"{plain(measure.value, _percent_places(measure.value) if places is None else places)} percentage points"
        return show(measure.value, "%", places=_percent_places(measure.value) if places is None else places)
    is_whole = measure.unit == "count" and measure.value == measure.value.to_integral_value()
    decided = places if places is not None else 0 if is_whole else _places(measure.value)
    return show(measure.value, measure.unit, places=decided)


def is_points(cell: Cell) -> bool:
    """A difference of two percentages."""
    return cell.over in ("change", "difference") and cell.part.unit == "%"


def _percent_places(value: Decimal) -> int:
    """One decimal, more where that would leave nothing of it; ``value`` itself stays exact."""
    return 1 if abs(value) >= Decimal("0.1") or not value else 2 if abs(value) >= Decimal("0.01") else 4


def _places(value: Decimal) -> int:
    return 2 if abs(value) >= Decimal("0.1") else 4


def _in_unit_of(cell: Cell, value: Decimal, unit: Unit, scale: int, places: int | None, *, in_table: bool) -> str:
    """Money as the figures it comes from are told, ``in_table`` as they are printed, so that it adds up on paper."""
    figures = [figure for figure in cell.figures if figure.unit == unit]
    printed = min((printed_scale(figure.fact) for figure in figures), default=1)
    own = scale or (printed if in_table else told_scale(value, printed))
    if not scale and places is None and len(figures) < len(cell.figures):  # Millions over people come to dollars.
        small = abs(value) < own
        return show(value, unit, scale=1 if small else own, places=0 if small and abs(value) >= _WHOLE else 2)
    if places is None and not scale and own != printed:
        places = TOLD_PLACES
    elif places is None:
        most = max((printed_places(figure.fact) for figure in figures), default=0)
        exact = value / own
        places = most if rounded(exact, most) == exact else most + 1
    return show(value, unit, scale=own, places=places)


def substituted(cell: Cell) -> str:
    """The expression with the figures as printed, on one scale: "391,035 / 383,285 - 1"."""
    assert cell.grounded is not None
    figures = cell.figures
    scales = [printed_scale(figure.fact) for figure in figures if figure.unit in ("usd", "shares")]
    scale = min(scales, default=1) if not any(figure.unit == "count" for figure in figures) else 1

    def number(name: Name) -> str:
        figure = figures[int(name.name[1:])]
        value = figure.value / scale if figure.unit in ("usd", "shares") else figure.value
        return plain(value) + ("%" if figure.unit == "%" else "")

    return write(cell.grounded.node, number)


def letters(cell: Cell) -> str:
    """The expression over a, b, c, …"""
    assert cell.grounded is not None
    return write(cell.grounded.node, lambda name: letter(int(name.name[1:])))


def letter(index: int) -> str:
    """0 -> a, 25 -> z, 26 -> a1."""
    return chr(ord("a") + index % 26) + (str(index // 26) if index >= 26 else "")
