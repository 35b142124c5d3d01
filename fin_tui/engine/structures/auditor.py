"""Who audits a filing, since when, and the critical audit matters of the auditor's report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fin_tui.engine.structures import FilingReader, Passages, StructureAnswer, named, one
from fin_tui.language import any_of, runs_of, split_sentences
from fin_tui.records import Filing, Sentence

_WHO = any_of("(and/for) who/whom/whose/which/what/name/when, (and) since when/which/what, how long, how many years")
_FIRM = any_of("auditor(s), accounting firm, independent/public accountant(s), audit, audits, audited, auditing")
_OF_FIRM = ("'", "’", " committee", " matter", " fee", " procedure", " opinion")
"""Behind one of these words, what is asked for is not the firm."""
_OTHER = any_of(
    "critical audit, audit committee/fee(s)/matter(s)/procedure(s), fee(s), internal audit*, tax(es), opinion, conclude, "
    "conclusion, disagree, consider, describe, say, said, address, find, found, identif*, report say/state, "
    "why, audited (by) (the) irs/tax"
)
_WHAT, _NAMES_FIRM = any_of("what did/does/do/was/were/is/are"), any_of("name, firm, auditor")
_NEAR_WHO, _NEAR_WHAT, _SHORTEST = 75, 32, 60
"""Characters behind "who" and "what is" in which the firm is named, and of a question that may name nothing else."""
_SERVED, _AUDITORS, _IS_SINCE = any_of("served as"), any_of("auditor(s)"), any_of("since")
_FAR, _REST = 100, 66
"""Characters from "served as" to the end of "auditor", and from there to the end of "since"."""
_FIRM_SIGNED = re.compile(
    r"^[ \t]*(?:/?s/|\(signed\))[ \t]*"
    r"(?P<firm>[^\n]{3,70}?(?:\bL\.?\s?L\.?\s?P\.?|\bPLLC|\bP\.?C\.?|\bLLC|\bAG|\bLtd\.?|\bCPAs?|\bPLC))"
    r"(?=[ \t]*(?:\n|\t|$|[A-Z]))",
    re.I | re.M,
)
_NEAR = 400
"""Characters around "served as auditor since" within which the firm signs."""
_REPORT = any_of("independent registered public accounting firm, independent (public) accountant(s), independent auditor(s)")
_LONGEST_REPORT = 9_000
"""The longest report of the auditors: its heading stands no further before the signature."""


def auditor(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "Example LLP audited …", and the sentence that says since when; None where neither is found."""
    text = reader.library.text(filing.id)
    since = next(_since(text), None)
    place = _tagged(reader, filing) or _near(text, since) or _under_report(text)
    passages = Passages(reader, filing)
    told = []
    if place is not None:
        number = passages.number(*place)
        firm = " ".join(text[place[0] : place[1]].split()).replace(" ,", ",").replace(" .", ".")
        if number is not None:
            told.append(Sentence(f"{firm} audited {filing.company}'s {named(filing)}.", (number,), "grounded"))
    if since is not None:
        number = passages.number(*since)
        if number is not None:
            told.append(Sentence(" ".join(text[since[0] : since[1]].split()), (number,), "grounded"))
    return StructureAnswer(tuple(told), tuple(passages.made)) if told else None


def asks_auditor(text: str) -> bool:
    """Whether ``text`` asks who audits, or since when; not what auditors say, do or cost."""
    said = text.strip(" \n\t\"'“”‘’?.!,:;-")
    who = _WHO.match(said)
    asked = said[who.end() : who.end() + _NEAR_WHO] if who else ""
    is_firm = any(not asked[match.end() :].startswith(_OF_FIRM) for match in _FIRM.finditer(asked))
    is_short = len(said) <= _SHORTEST and f" {said.lower()}".endswith((" auditor", " auditors"))
    named = [match.start() for match in _NAMES_FIRM.finditer(said)]
    is_what = any(not any(0 < at - m.end() < _NEAR_WHAT for at in named) for m in _WHAT.finditer(said))
    return (is_firm or is_short) and not is_what and not _OTHER.search(said)


def _since(text: str) -> Iterator[tuple[int, int]]:
    """The sentences that say since when the auditor has served."""
    for start, end in _serves(text, 0, len(text)):
        since = _IS_SINCE.search(text, end, end + _REST)
        if since is not None and "\n" not in text[end : since.start()]:
            yield from _sentence_around(text, start, since.end())


def _serves(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a line says that someone has "served as" auditor, to the end of that word."""
    for match in _SERVED.finditer(text, begin, end):
        who = _AUDITORS.search(text, match.end(), match.end() + _FAR)
        if who is not None and "\n" not in text[match.end() : who.start()]:
            yield match.start(), who.end()


def _sentence_around(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence in which ``start`` stands, of the line from there to ``end``."""
    line, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    spans = split_sentences(text[line : stop if stop >= 0 else len(text)])
    yield from ((line + a, line + b) for a, b in spans if line + a <= start < line + b)


def _tagged(reader: FilingReader, filing: Filing) -> tuple[int, int] | None:
    """Where the tagged name of the auditor stands."""
    facts = (fact for fact in reader.document(filing).facts if fact.concept == "dei:AuditorName" and fact.end > fact.start)
    fact = next(facts, None)
    return None if fact is None else (fact.start, fact.end)


def _near(text: str, since: tuple[int, int] | None) -> tuple[int, int] | None:
    """The signature nearest to where the auditor says since when it has served."""
    if since is None:
        return None
    begin = max(0, since[0] - _NEAR)
    signed = [match.span("firm") for match in _FIRM_SIGNED.finditer(text, begin, since[1] + _NEAR)]
    return min(signed, key=lambda place: min(abs(place[1] - since[0]), abs(place[0] - since[1])), default=None)


def _under_report(text: str) -> tuple[int, int] | None:
    """The first signature of a firm that stands under a report of independent auditors."""
    for match in _FIRM_SIGNED.finditer(text):
        if _REPORT.search(text, max(0, match.start() - _LONGEST_REPORT), match.start()):
            return match.span("firm")
    return None


_CALLED, _SHORT_NAME = any_of("critical audit matter(s)"), any_of("cam(s)")
_MORE = any_of("how, why, when, address*, test, tested, testing, procedure(s), mean*")
_OPENS = any_of("critical audit matter(s) communicated below")
_MATTERS, _IS_NONE = any_of("(no) critical audit matter(s)"), any_of("none")
_DESCRIBES = any_of(
    "as described/discussed/disclosed/of, as more fully, description of, critical audit matter description, "
    "the company, refer to note"
)
_NO_TITLE = any_of("critical audit matter(s) (description), table of contents")
_BEGINS_NO_TITLE = any_of("description, how we/the, as")
_LONGEST = 180
_REPORT_LENGTH = 16_000
"""The longest that auditors have written of their matters."""


def asks_audit_matters(text: str) -> bool:
    """Whether ``text`` asks which they are, or whether there are any; not how they were dealt with."""
    is_called = _CALLED.search(text) or any("auditor" in text[short.end() :].lower() for short in _SHORT_NAME.finditer(text))
    return bool(is_called) and not _MORE.search(text)


def audit_matters(reader: FilingReader, filing: Filing) -> StructureAnswer | None:
    """ "The auditor's report … has 2 critical audit matters:" and their titles; None where no report has such a part."""
    text = reader.library.text(filing.id)
    opened = _OPENS.search(text)
    if opened is None:
        return _none(reader, filing, text)
    last = opened.end() + _REPORT_LENGTH
    closed, _ = next(_serves(text, opened.end(), last), (last, last))
    passages = Passages(reader, filing)
    told: dict[str, Sentence] = {}
    for begin, end in _titles(text, opened.end(), closed):
        title = " ".join(text[begin:end].split())
        number = passages.number(begin, end) if title not in told else None
        if number is not None:
            told[title] = Sentence(f"{len(told) + 1}. {title}", (number,), "grounded", opens="line")
    if not told:
        return None
    many = f"{len(told)} critical audit matter{'s' if len(told) > 1 else ''}"
    head = Sentence(f"The auditor's report in {filing.company}'s {named(filing)} has {many}:", (), "computed")
    return StructureAnswer((head, *told.values()), tuple(passages.made))


def _none(reader: FilingReader, filing: Filing, text: str) -> StructureAnswer | None:
    for match in _MATTERS.finditer(text):
        behind = text[match.end() : match.end() + _NEAR_WHO].partition(".")[0]
        end = match.end() if match[0].lower().startswith("no") else match.end() + len(behind) if _IS_NONE.search(behind) else 0
        for a, b in _sentence_around(text, match.start(), end) if end else ():
            return one(f"No: {' '.join(text[a:b].split())}", reader.passage(1, filing, a, b))
    return None


def _titles(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Short lines under which a matter is described."""
    previous: tuple[int, int] | None = None
    for piece in text[begin:end].replace("\t", "\n").split("\n"):
        place, begin = (begin, begin + len(piece)), begin + len(piece) + 1
        line, said = piece.strip(), " ".join(runs_of(piece.lower()))
        if not line:
            continue
        if previous is not None and _DESCRIBES.match(said):
            yield previous
        is_other = said.isdigit() or _NO_TITLE.fullmatch(said) or _BEGINS_NO_TITLE.match(said)
        is_title = len(line) <= _LONGEST and line[-1] not in ".:;,)" and not is_other and line[0].isupper()
        previous = place if is_title else None
