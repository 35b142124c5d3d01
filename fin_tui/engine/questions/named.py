"""Which companies a question names, as its frame sees it; nothing is searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from fin_tui.engine.frame.reader import NO_COMPANY, Frame, Span
from fin_tui.engine.questions.companies import NEVER, CompanyIndex, Named, fold, is_large_company, split_words
from fin_tui.facts import vocabulary
from fin_tui.facts.words import SHORTENING
from fin_tui.language import runs_of
from fin_tui.retrieval.tokens import tokenize_query

Owner = Callable[[str, frozenset[str]], str]
"""A name that no filing carries, and the keys of the companies that were asked about before -> the company whose filings speak of
it, as they call it: one of those, else the only one; "" for none or several.
"""
_LISTED = 3
"""Companies in a row from which all are named: "cost" beside one is none."""
_JOINING = frozenset(("and", "or", "vs", "versus", "plus"))


def named_by_frame(
    text: str,
    companies: Sequence[Named],
    frame: Frame,
    index: CompanyIndex,
    is_strange: Callable[[str], bool],
    owner: Owner | None,
) -> tuple[list[Named], list[str]]:
    """Of the ``companies`` that a question may name those that the frame sees named, and the names of which none is known."""
    seen = [one for one in companies if any(_meet(one, span) for span in frame.companies)]
    listed = next((run for run in _runs(text, companies) if len(run) >= _LISTED and any(one in seen for one in run)), [])
    named = [one for one in companies if one in seen or one in listed]
    others: list[str] = []
    for span in frame.companies:
        if not any(_meet(one, span) for one in companies):
            # By itself a name is known however it is typed; within the question a small letter may make it a common word.
            bare = _without_s(span.text)
            own = index.find(span.text) or index.find(bare)  # "ciscos"
            own = own or index.find(span.text, is_name=True) or index.find(bare, is_name=True)
            own = own or index.find(span.text.upper()) or _by_symbol(span.text, index, owner) or _first_word(index, span.text)
            own = own or index.by_last_word(span.text) or (index.meant_by(span.text) if is_strange(span.text) else ())
            named += [_within(span, one) for one in own]
            others += [] if own or _names_none(span.text) else [_name_in(span.text)]
    return named, others


def _names_none(words: str) -> bool:
    """Whether words that were taken for a name are no company's: "US", "that"."""
    return words.lower() in NO_COMPANY or fold(words) in NEVER or not tokenize_query(words)


def _by_symbol(name: str, index: CompanyIndex, owner: Owner | None) -> tuple[Named, ...]:
    """The company whose ticker shortens ``name``, where its filings speak of that name."""
    found = index.by_symbol(name)
    if not found or owner is None:
        return ()
    spoken_of = index.find(owner(_name_in(name), frozenset(found[0].keys)), is_name=True)
    return found if any(one.keys == found[0].keys for one in spoken_of) else ()


def _runs(text: str, companies: Sequence[Named]) -> list[list[Named]]:
    """The companies that stand next to each other: "acme glbx, zenith and initech"."""
    runs: list[list[Named]] = []
    for one in sorted((one for one in companies if one.start >= 0), key=lambda one: one.start):
        between = text[runs[-1][-1].end : one.start] if runs else ""
        if runs and not set(runs_of(between.lower())) - _JOINING:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def slips(text: str, index: CompanyIndex, is_strange: Callable[[str], bool]) -> list[Named]:
    """The companies that words which name nothing else are slips of: "and boing"."""
    strange = [token for token in split_words(text) if is_strange(token.text)]
    found = [(token.start, one) for token in strange for one in index.meant_by(token.text)]
    return [replace(one, start=at + one.start, end=at + one.end) for at, one in found]


def within_matter(frame: Frame, index: CompanyIndex) -> list[Named]:
    """The companies that stand among the words for something else, spelled as one of their names is: "the acme / globex deal".
    Where other companies are named those say whose the matter is.
    """
    return [_within(span, one) for span in frame.may_name for one in _spelled(span.text, index)]


def _spelled(word: str, index: CompanyIndex) -> list[Named]:
    """The company with this name, which may be a possessive typed without its apostrophe."""
    forms = (form for typed in (word, _without_s(word)) for form in (typed[:1].upper() + typed[1:], typed.upper()))
    return next((named for form in forms if (named := [one for one in index.find(form) if not one.is_slip])), [])


def _without_s(word: str) -> str:
    """What may be a possessive typed without its apostrophe, without its ending."""
    return word.removesuffix("s")


def _within(span: Span, one: Named) -> Named:
    """``one``, found in the words of ``span``, as it stands in the question, with the ending of a possessive."""
    ending = span.text[one.end :]
    end = one.end + (1 if ending[:1] == "s" and not ending[1:2].isalnum() else 0)
    return replace(one, start=span.start + one.start, end=span.start + end)


def mistyped_beside(text: str, frame: Frame, index: CompanyIndex) -> list[Named]:
    """A comparison with one company has another: a word that is left over may be a slip of its name, however it is typed."""
    places = [(at, word) for word in frame.left_over if (at := text.lower().find(word)) >= 0]
    found = [(at, one) for at, word in places for one in index.find(word, is_name=True) if one.is_slip]
    return [replace(one, start=at + one.start, end=at + one.end) for at, one in found[:1]]


def _first_word(index: CompanyIndex, name: str) -> tuple[Named, ...]:
    """The company that the first word of a name is by itself: a ticker in small letters before another name, "acm Rocketbook"."""
    return tuple(one for one in index.find(name.split()[0]) if not one.is_slip)


def _meet(named: Named, span: Span) -> bool:
    return named.start < span.end and span.start < named.end


def may_be_meant(named: Named, text: str, frame: Frame, index: CompanyIndex, *, follows: bool) -> bool:
    """Whether a question asks of a company that the frame sees as no name: in small letters a ticker may be a word for figures
    ("cost"), and of a question that ``follows`` one of a company any word, as what belongs to the words for the figure
    ("sales target").
    """
    said = text[named.start : named.end]
    if not said.islower():
        return True
    if index.is_ticker(said) and (follows or said in _words_for_figures()):
        return False
    return not follows or not any(_meet(named, span) for span in frame.targets)


@cache
def _words_for_figures() -> frozenset[str]:
    """The words in names of figures, without what is as short as an abbreviation."""
    words = (word for metric in vocabulary().metrics for name in metric.names for word in runs_of(name.lower()))
    return frozenset(word for word in words if len(word) >= SHORTENING)


def is_plain(named: Named, text: str) -> bool:
    """Whether a company is named as names are written: with a capital, and neither by a slip nor by its ticker."""
    said = text[named.start : named.end]
    return not named.is_slip and said[:1].isupper() and not said.isupper()


def _name_in(words: str) -> str:
    """The words as far as they are written as a name: "Globex" of "Globex parent", all of "globex parent"."""
    kept = words.split()
    while not kept[-1][:1].isupper() and kept[0][:1].isupper():
        kept = kept[:-1]
    return " ".join(kept).removesuffix("'s").removesuffix("’s").rstrip("'’")


def may_name(name: str, text: str, *, follows: bool) -> bool:
    """Whether a name that nothing held knows may be a company's: not where it alone of a text has no capital, and of a question
    that ``follows`` one of a company, not without a capital at all unless it is known elsewhere.
    """
    return name != name.lower() or (text == text.lower() and (not follows or is_large_company(name)))
