"""Which companies of the library a question names, by which words they can be called, and which names are no company's here.

A company answers to its full name, its name without the legal form, its leading word or words where no other company shares
them, its initials, other spellings of all these, and its ticker. A leading word may be mistyped by a letter.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from fin_tui.engine.questions.periods import Periods, find_periods
from fin_tui.facts.words import SHORTENING
from fin_tui.language import runs_of
from fin_tui.records import Filing

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9&.\-]*(?:['’]s)?|&")
LEGAL_FORMS = frozenset("inc incorporated corp corporation co company ltd limited plc llc lp nv sa ag se the de".split())
_DOMAINS = (".com", ".net", ".org", ".io")

NEVER = frozenset(
    (
        "what how which who when where why is are was were did does do has have had list compare describe explain "
        "summarize give tell show item items part form fiscal year fy u.s us usa sec gaap non-gaap ebitda r&d sg&a "
        "capex eps ceo cfo coo cto i january february march april may june july august september october november "
        "december q1 q2 q3 q4 ai it mda md&a note notes annual report in on the a an america europe asia china japan "
        "india american european chinese covid covid-19 ifrs fasb irs esg ipo s&p nasdaq nyse ppe pp&e 10-k 10-k405 "
        "10-q 8-k according based during for as if please can could would should will"
    ).split()
)
"""Words with capitals that name no company."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place."""

    text: str
    folded: str
    start: int
    end: int
    possessive: bool


def split_words(text: str) -> list[Token]:
    """The words of ``text``, without the 's of a possessive."""
    found = []
    for match in _WORD.finditer(text):
        raw = match.group()
        possessive = raw.endswith(("'s", "’s"))
        bare = raw[:-2] if possessive else raw
        bare = bare.rstrip(".-") or bare
        found.append(Token(bare, fold(bare), match.start(), match.start() + len(bare), possessive))
    return found


def fold(word: str) -> str:
    """Lower case, without full stops and the ending of a web address: "Parcels.com" -> "parcels"."""
    lowered = word.lower()
    domain = next((ending for ending in _DOMAINS if lowered.endswith(ending) and len(lowered) > len(ending) + 1), "")
    return lowered.removesuffix(domain).replace(".", "").replace("’", "'")


def name_words(name: str) -> tuple[str, ...]:
    """The words of a company's name, folded, without its legal form: "Johnson & Johnson" -> ("johnson", "&", "johnson")."""
    words = [token.folded for token in split_words(name)]
    while words and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and (words[-1] in LEGAL_FORMS or words[-1] == "&"):
        words = words[:-1]
    return tuple(words)


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
_NAME_AND_SURNAME = 2


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
            for ticker in {*filter(None, (filing.ticker.upper(),)), *_known_tickers().get(words, ())}:  # One for each class.
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


@cache
def _called_large() -> frozenset[Words]:
    """What large companies are called: "southwest" is Southwest Airlines, "disney" Walt Disney."""
    last = Counter(words[-1] for words in _known_tickers())
    surnames = ((words[-1],) for words in _known_tickers() if len(words) == _NAME_AND_SURNAME and last[words[-1]] == 1)
    return frozenset(alias for words in _known_tickers() for alias in _aliases(words)) | frozenset(surnames)


@cache
def _tickers() -> frozenset[str]:
    return frozenset(ticker for tickers in _known_tickers().values() for ticker in tickers)


def not_held(name: str) -> str:
    """What is said of a ``name`` by which no filing is found; its company may be held under another."""
    return f"No company in the library is called {name}."


def is_large_company(name: str) -> bool:
    """Whether a large American company is called so: then it is no brand of the filing that speaks of it most."""
    return name in _tickers() or name_words(name) in _called_large()


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
    for count in range(2, len(words) + 1):
        if "&" not in words[:count]:
            yield ("".join(words[:count]),)  # "greatlakes"
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


_FUZZY_LENGTH = 5
_FUZZY_LOWER = 7
"""In a text without capitals any word may be a name, so that a short one is not taken for a slip of it."""
_TWO_SLIPS = 9
"""From this length on two letters may be wrong."""
_MOST_WORDS = 6
_BRACKETED = re.compile(r"\(([A-Za-z]{2,5})\)")
_ARTICLES = frozenset("a an the our its their any each no this that".split())


@dataclass(frozen=True, slots=True)
class Named:
    """A company named in a question."""

    keys: tuple[str, ...]
    """All company keys that stand for it: older filings may know it by another number."""
    name: str
    start: int
    """Where in the question it is named."""
    end: int
    periods: Periods | None = None
    """Its own periods, where the question gives each company some: "Apple FY2021-2024 and NVIDIA FY2022-2025"."""
    is_slip: bool = False
    """It is spelled otherwise than any of its names."""


class CompanyIndex:
    """Finds the companies of some filings in a text. Cheap enough to be made for each question."""

    def __init__(self, filings: Iterable[Filing]) -> None:
        self._called = Aliases(filings)

    def is_ticker(self, word: str) -> bool:
        """Whether ``word`` is the ticker of one of the companies."""
        return word.upper() in self._called.tickers

    def in_brackets(self, text: str) -> list[Named]:
        """The companies whose tickers or initials stand in brackets: "Rockets (ACME)"."""
        matches = [(match, self.find(match[1].upper())) for match in _BRACKETED.finditer(text)]
        return [replace(one, start=of.start(1), end=of.end(1)) for of, found in matches for one in found if not one.is_slip]

    def find(self, text: str, *, is_name: bool = False) -> tuple[Named, ...]:
        """The companies that ``text`` names, in order, each once. Of what ``is_name``, short words may be slips, too."""
        tokens = split_words(text)
        has_capitals = is_name or any(token.text[0].isupper() and find_periods(token.text) == Periods() for token in tokens)
        found: list[Named] = []
        taken: set[str] = set()
        at = 0
        while at < len(tokens):
            keys, used = self._match(tokens, at, has_capitals)
            is_slip = not keys
            if is_slip:
                keys, used = self._mistyped(tokens[at], has_capitals, is_name=is_name), 1
            if keys and not keys & taken:
                newest = self._called.newest_name(keys)
                used += _rest_of(name_words(newest)[used:], tokens[at + used :])
                used += _legal_form(tokens, at + used, text)
                found.append(Named(tuple(sorted(keys)), newest, tokens[at].start, tokens[at + used - 1].end, is_slip=is_slip))
                taken |= keys
            at += max(used, 1)
        return tuple(found)

    def meant_by(self, word: str) -> tuple[Named, ...]:
        """The company whose name a ``word`` that nothing knows is a slip of; short ones as well, by a letter left out, and any by
        one typed before it.
        """
        found = self.find(word, is_name=True)
        if not found and len(word) > _FUZZY_LENGTH:
            behind = (one for one in self.find(word[1:].capitalize(), is_name=True) if not one.is_slip)
            found = tuple(replace(one, start=0, end=len(word), is_slip=True) for one in behind)
        token = next(iter(split_words(word)), None)
        if found or token is None or len(token.folded) != _FUZZY_LENGTH - 1 or is_large_company(word):
            return found
        keys = self._near(token.folded, slips=1)
        return (Named(tuple(sorted(keys)), self._called.newest_name(keys), token.start, token.end, is_slip=True),) if keys else ()

    def may_mean(self, word: str) -> bool:
        """Whether a ``word`` that nothing knows may be a slip of a company's name."""
        return bool(self.meant_by(word))

    def by_symbol(self, name: str) -> tuple[Named, ...]:
        """The company whose ticker shortens ``name``, what it was called before or is called by everybody: "Globy", GLOB."""
        token = next(iter(split_words(name)), None)
        if token is None or len(token.folded) <= SHORTENING:
            return ()
        keys = {
            one
            for symbol, one in self._called.tickers.items()
            if len(symbol) >= SHORTENING and token.folded.startswith(symbol.lower())
        }
        if len(keys) != 1:
            return ()
        of = keys.pop()
        return (Named(tuple(sorted(of)), self._called.newest_name(of), token.start, token.end),)

    def by_last_word(self, name: str) -> tuple[Named, ...]:
        """The only company whose name ends in ``name``, a word by which people may know it: "rockets" of Acme Rockets."""
        word = fold(name)
        found = {keys for words, keys in self._called.words.items() if len(words) > 1 and words[-1] == word}
        if len(found) != 1 or word in _GENERAL:
            return ()
        of = found.pop()
        return (Named(tuple(sorted(of)), self._called.newest_name(of), 0, len(name)),)

    def _match(self, tokens: Sequence[Token], at: int, has_capitals: bool) -> tuple[Keys, int]:
        for count in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
            words = tuple(token.folded for token in tokens[at : at + count])
            keys = self._called.words.get(words) or (self._called.words.get(_singular(words)) if count > 1 else None)
            if keys and _looks_like_name(tokens, at, count, has_capitals):
                return keys, count
        token = tokens[at]
        as_ticker = self._called.tickers.get(token.text.upper())
        if as_ticker and (token.text.isupper() or not has_capitals) and (len(token.text) > 1 or token.possessive):
            return as_ticker, 1
        if token.text in self._called.pairs:
            return self._called.pairs[token.text], 1
        return frozenset(), 1

    def _mistyped(self, token: Token, has_capitals: bool, *, is_name: bool) -> Keys:
        shortest = _FUZZY_LENGTH if has_capitals else _FUZZY_LOWER
        is_common = has_capitals and not token.text[0].isupper() and not is_name
        if len(token.folded) < shortest or is_common or token.folded in NEVER:
            return frozenset()
        return self._near(token.folded, slips=2 if len(token.folded) >= _TWO_SLIPS else 1)

    def _near(self, word: str, *, slips: int) -> Keys:
        """The company with a name of one word that has at most so many letters otherwise; its first letter is right."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        heads = [words[0] for words in self._called.words if len(words) == 1 and words[0][0] == word[0]]
        heads = [head for head in heads if len(head) >= _FUZZY_LENGTH]
        match = process.extractOne(word, heads, scorer=OSA.distance, score_cutoff=slips)
        return frozenset() if match is None else self._called.words[(match[0],)]


def _rest_of(rest: Words, behind: Sequence[Token]) -> int:
    """How many words of the ``rest`` of a name stand behind its first words; each may be mistyped."""
    pairs = enumerate(zip(rest, behind, strict=False))
    unlike = (at for at, (word, token) in pairs if not _is_typed_for(token.folded, word))
    return next(unlike, min(len(rest), len(behind)))


def _is_typed_for(typed: str, word: str) -> bool:
    """Whether ``typed`` is a word of a name, or a slip of it by one letter."""
    from rapidfuzz.distance import OSA

    return typed == word or (len(word) >= _FUZZY_LENGTH and OSA.distance(typed, word, score_cutoff=1) <= 1)


def _legal_form(tokens: Sequence[Token], at: int, text: str) -> int:
    """How many words from ``at`` on are the legal form of the name before them: "Acme Corp", "Acme, Inc."."""
    count = 0
    while at + count < len(tokens) and tokens[at + count].folded in LEGAL_FORMS - {"the", "de", "se"}:
        if text[tokens[at + count - 1].end : tokens[at + count].start].strip(" .,"):
            break
        count += 1
    return count


def _singular(words: Words) -> Words:
    """A possessive typed without its apostrophe: "procter and gambles"."""
    return (*words[:-1], words[-1].removesuffix("s"))


def _looks_like_name(tokens: Sequence[Token], at: int, count: int, has_capitals: bool) -> bool:
    """Whether a company called by a common word ("target") is meant: by a capital, an 's, or a text typed without capitals."""
    token = tokens[at]
    if count > 1 or not token.text[0].islower():
        return True
    after_article = at > 0 and tokens[at - 1].folded in _ARTICLES
    return not after_article and (tokens[at].possessive or not has_capitals)


_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z&.\-]+(?:\s+(?:&\s+)?[A-Z][A-Za-z&.\-]+)*")
_BEFORE_SUBJECT = frozenset(
    "did does do was were is are has had have of for at by with from than to about between compare and in much company".split()
)


def unknown_companies(text: str, index: CompanyIndex) -> tuple[str, ...]:
    """Names that stand where a company stands ("Toyota's net income", "did Samsung report") and are in no filing's name.

    A candidate only: a product or a person stands in the same places, so the caller checks it against the filings' text.
    """
    known = [(named.start, named.end) for named in index.find(text)]
    found = []
    for match in _CAPITALISED.finditer(text):
        words = match.group().rstrip(".").split()
        start = match.start()
        while words and fold(words[0]) in NEVER:
            start += len(words[0]) + 1
            words = words[1:]
        if not words or all(fold(word) in NEVER for word in words):
            continue
        name = " ".join(words)
        end = start + len(name)
        if any(start < b and a < end for a, b in known):
            continue
        possessive = text[end : end + 2] in ("'s", "’s")
        before = runs_of(text[:start].lower())[-1:] if text[:start].endswith(" ") else []
        if possessive or _BEFORE_SUBJECT.intersection(before):
            found.append(name)
    return tuple(found)
