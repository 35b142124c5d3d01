"""By which words the companies of a library can be called.

A company answers to its full name, its name without the legal form, its leading word or words where no other company shares
them, its initials, and other spellings of all these.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from fin_tui.engine.questions.company_words import NEVER, name_words
from fin_tui.records import Filing

Words = tuple[str, ...]
Keys = frozenset[str]
"""Company keys that stand for one company."""

_LEGAL = frozenset(
    (
        "inc incorporated corp corporation co company companies ltd limited plc llc lp nv sa ag se the de group "
        "holdings holding platforms technologies technology systems trust fund and & international industries "
        "enterprises stores"
    ).split()
)
_GENERAL = _LEGAL | frozenset(
    "general american united national first global world new northern southern eastern western pacific atlantic us".split()
)
"""Leading words that many names share: alone they name no company."""
_HEADS = (2, 3)
"""Letters of each word in a name run together."""
_LONGEST_SHORT = 6
_MOST_INITIALS = 5


class Aliases:
    """The names of the companies of some filings. Cheap enough to be made for each question."""

    def __init__(self, filings: Iterable[Filing]) -> None:
        self._names: dict[str, str] = {}
        whole: dict[Words, set[str]] = defaultdict(set)
        tickers: dict[str, set[str]] = defaultdict(set)
        for filing in sorted(filings, key=lambda f: f.period_end.toordinal() if f.period_end else 0):
            self._names[filing.company_key] = filing.company
            if words := name_words(filing.company):
                whole[words].add(filing.company_key)
            for ticker in (filing.ticker.upper(),) if filing.ticker else _known_tickers().get(words, ()):
                tickers[ticker].add(filing.company_key)
        self._groups = _same_company(whole, tickers)
        self.tickers = {ticker: self._all_of(keys) for ticker, keys in tickers.items()}
        """By ticker, in capitals."""
        self.words = self._by_words(whole)
        """By folded words: what a company is called in any case of letters."""
        self.pairs = self._by_pair(whole)
        """By two initials, which name a company only in capitals: "GE"."""

    def newest_name(self, keys: Keys) -> str:
        """What the company calls itself under the newest of its keys."""
        return [name for key, name in self._names.items() if key in keys][-1]

    def _by_words(self, whole: dict[Words, set[str]]) -> dict[Words, Keys]:
        called: dict[Words, set[str]] = defaultdict(set)
        for words, keys in whole.items():
            for alias in _aliases(words):
                called[alias] |= self._all_of(keys)
        found = {}
        for alias, shared in called.items():
            if one := self._only(shared):
                found[alias] = one
            elif alias in whole:
                found[alias] = self._all_of(whole[alias])
        return found

    def _by_pair(self, whole: dict[Words, set[str]]) -> dict[str, Keys]:
        called: dict[str, set[str]] = defaultdict(set)
        for words, keys in whole.items():
            initials = _initials(words)
            if len(initials) == 2 and initials not in NEVER:
                called[initials.upper()] |= self._all_of(keys)
        return {pair: one for pair, shared in called.items() if (one := self._only(shared))}

    def _all_of(self, keys: Iterable[str]) -> Keys:
        return frozenset().union(*(self._groups[key] for key in keys))

    def _only(self, keys: Iterable[str]) -> Keys:
        """The one company that ``keys`` are of; empty when they are of several."""
        groups = {frozenset(self._groups[key]) for key in keys}
        return groups.pop() if len(groups) == 1 else frozenset()


@cache
def _known_tickers() -> Mapping[Words, tuple[str, ...]]:
    """By the words of a large company's name, for filings that name no symbol."""
    known: dict[Words, tuple[str, ...]] = {}
    with files("fin_tui.engine.questions").joinpath("us_tickers.tsv").open(encoding="utf-8") as file:
        for name, ticker in csv.reader(file, delimiter="\t"):
            words = name_words(name)
            known[words] = (*known.get(words, ()), ticker)
    return known


def is_large_company(name: str) -> bool:
    """Whether a large American company is called so: then it is no brand of the filing that speaks of it most."""
    return name_words(name) in _known_tickers()


def _aliases(words: Words) -> Iterator[Words]:
    """What a company of this name may be called, if no other one is."""
    yield words
    trimmed = words
    while len(trimmed) > 1 and trimmed[-1] in _LEGAL:
        trimmed = trimmed[:-1]
        yield trimmed
    for count in range(1, len(words)):
        head = words[:count]
        if head[-1] != "&" and (count > 1 or (len(head[0]) > 2 and head[0] not in _GENERAL)):
            yield head
    initials = _initials(words)
    if 2 < len(initials) <= _MOST_INITIALS:
        yield (initials,)
    yield from sorted(_spellings(words))


def _initials(words: Words) -> str:
    return "".join(word[0] for word in words if word != "&")


def _spellings(words: Words) -> set[Words]:
    """Other ways to write a name: with spaces or nothing for its hyphens ("Coca Cola"), or run together ("AmEx")."""
    found: set[Words] = set()
    if any("-" in word for word in words):
        found.add(tuple(part for word in words for part in word.split("-") if part))
        found.add(tuple(word.replace("-", "") for word in words))
    if len(words) > 1 and all(word.isalpha() and len(word) > 3 for word in words[:2]):
        first, second = words[:2]
        found.update((first[:a] + second[:b],) for a in _HEADS for b in _HEADS)
    found |= _with_ampersand(words)
    return found


def _with_ampersand(words: Words) -> set[Words]:
    """Ways to write a name with an ampersand: by its letters ("J&J" of Johnson & Johnson), or with "and"."""
    plain = tuple("&" if word == "and" else word for word in words)
    if "&" not in plain[1:-1]:
        return set()
    spelled = {plain, tuple("and" if word == "&" else word for word in plain)}
    whole = "".join(word if word == "&" else word[0] for word in plain)
    first = plain.index("&")
    around = f"{plain[first - 1][0]}&{plain[first + 1][0]}"
    letters = {short for short in (whole, around) if len(short) <= _LONGEST_SHORT}
    return spelled | {(short,) for short in letters} | {tuple(short.replace("&", " & ").split()) for short in letters}


def _same_company(by_words: dict[Words, set[str]], tickers: dict[str, set[str]]) -> dict[str, set[str]]:
    """Company keys that stand for one company: the same name, or the same ticker, under another number."""
    groups: dict[str, set[str]] = {}
    for keys in [*by_words.values(), *tickers.values()]:
        merged = set(keys).union(*(groups.get(key, {key}) for key in keys))
        for key in merged:
            groups[key] = merged
    return groups
