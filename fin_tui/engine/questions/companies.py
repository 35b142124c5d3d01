"""Which companies of the library a question names, and which it names that the library does not hold.

A company answers to its full name, its name without the legal form, its leading word or words where no other company shares
them, its initials when it is known by them on its own cover, and its ticker. A leading word may be mistyped by a letter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.periods import Periods
from fin_tui.records import Filing

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9&.\-]*(?:['’]s)?|&")
_LEGAL = frozenset(
    (
        "inc incorporated corp corporation co company companies ltd limited plc llc lp nv sa ag se the de group "
        "holdings holding platforms technologies technology systems trust fund and & international industries "
        "enterprises stores"
    ).split()
)
_HARD_LEGAL = frozenset("inc incorporated corp corporation co company ltd limited plc llc lp nv sa ag se the de".split())
_GENERAL = _LEGAL | frozenset(
    "general american united national first global world new northern southern eastern western pacific atlantic us".split()
)
"""Leading words that many names share: alone they name no company."""
_DOMAIN = re.compile(r"(?<=\w\w)\.(?:com|net|org|io)$")
_PERIOD = re.compile(r"FY['’]?\d{2,4}|Q[1-4]", re.I)
_FUZZY_LENGTH = 5
_FUZZY_LOWER = 7
"""In a text without capitals any word may be a name, so that a short one is not taken for a slip of it."""
_HEADS = (2, 3)
"""Letters of each word in a name run together."""
_LONGEST_SHORT = 6
_TWO_SLIPS = 9
"""From this length on two letters may be wrong."""


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


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    folded: str
    start: int
    end: int
    possessive: bool


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _WORD.finditer(text):
        raw = match.group()
        possessive = raw.endswith(("'s", "’s"))
        bare = raw[:-2] if possessive else raw
        bare = bare.rstrip(".-") or bare
        found.append(_Token(bare, fold(bare), match.start(), match.start() + len(bare), possessive))
    return found


def fold(word: str) -> str:
    return _DOMAIN.sub("", word.lower()).replace(".", "").replace("’", "'")


def name_words(name: str) -> tuple[str, ...]:
    """The words of a company's name, folded, without its legal form: "Johnson & Johnson" -> ("johnson", "&", "johnson")."""
    words = [token.folded for token in _tokens(name)]
    while words and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and (words[-1] in _HARD_LEGAL or words[-1] == "&"):
        words = words[:-1]
    return tuple(words)


class CompanyIndex:
    """The names by which the library's companies can be called. Built from its filings; cheap enough to build per question."""

    def __init__(self, filings: Iterable[Filing]) -> None:
        self._names: dict[str, str] = {}
        by_words: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._tickers: dict[str, set[str]] = defaultdict(set)
        for filing in sorted(filings, key=lambda f: f.period_end.toordinal() if f.period_end else 0):
            self._names[filing.company_key] = filing.company
            words = name_words(filing.company)
            if words:
                by_words[words].add(filing.company_key)
            if filing.ticker:
                self._tickers[filing.ticker.upper()].add(filing.company_key)
        self._pairs: dict[str, frozenset[str]] = {}
        """Two initials, which name a company only in capitals: "GE"."""
        self._groups = _same_company(by_words, self._tickers)
        self._aliases = self._build_aliases(by_words)

    def _build_aliases(self, by_words: dict[tuple[str, ...], set[str]]) -> dict[tuple[str, ...], frozenset[str]]:
        shorter: dict[tuple[str, ...], set[str]] = defaultdict(set)
        pairs: dict[str, set[str]] = defaultdict(set)
        for words, keys in by_words.items():
            group = set().union(*(self._groups[key] for key in keys))
            shorter[words] |= group
            trimmed = list(words)
            while len(trimmed) > 1 and (trimmed[-1] in _LEGAL):
                trimmed.pop()
                shorter[tuple(trimmed)] |= group
            for count in range(1, len(words)):
                head = words[:count]
                if head[-1] != "&" and (count > 1 or (len(head[0]) > 2 and head[0] not in _GENERAL)):
                    shorter[head] |= group
            initials = "".join(word[0] for word in words if word != "&")
            if 2 < len(initials) <= 5:
                shorter[(initials,)] |= group
            elif len(initials) == 2 and initials not in NEVER:
                pairs[initials.upper()] |= group
            for spelling in _spellings(words):
                shorter[spelling] |= group
        self._pairs = {
            pair: frozenset(group) for pair, group in pairs.items() if len({frozenset(self._groups[key]) for key in group}) == 1
        }
        whole = set(by_words)
        aliases = {}
        for words, keys in shorter.items():
            groups = {frozenset(self._groups[key]) for key in keys}
            if len(groups) == 1:
                aliases[words] = next(iter(groups))
            elif words in whole:
                aliases[words] = frozenset().union(*(self._groups[key] for key in by_words[words]))
        return aliases

    def find(self, text: str) -> tuple[Named, ...]:
        """The companies that ``text`` names, in order, each once."""
        tokens = _tokens(text)
        has_capitals = any(token.text[0].isupper() and not _PERIOD.fullmatch(token.text) for token in tokens)
        found: list[Named] = []
        taken: set[str] = set()
        at = 0
        while at < len(tokens):
            keys, used = self._match(tokens, at, has_capitals)
            if keys and not keys & taken:
                newest = self._newest_name(keys)
                used += _rest_of(name_words(newest), tokens[at + used :])
                used += _legal_form(tokens, at + used, text)
                found.append(Named(tuple(sorted(keys)), newest, tokens[at].start, tokens[at + used - 1].end))
                taken |= keys
            at += max(used, 1)
        return tuple(found)

    def _match(self, tokens: Sequence[_Token], at: int, has_capitals: bool) -> tuple[frozenset[str], int]:
        for count in range(min(6, len(tokens) - at), 0, -1):
            words = tuple(token.folded for token in tokens[at : at + count])
            keys = self._aliases.get(words) or (self._aliases.get(_singular(words)) if count > 1 else None)
            if keys and _looks_like_name(tokens, at, count, has_capitals):
                return keys, count
        token = tokens[at]
        ticker = token.text.upper()
        if ticker in self._tickers and (token.text.isupper() or not has_capitals) and (len(ticker) > 1 or token.possessive):
            return frozenset().union(*(self._groups[key] for key in self._tickers[ticker])), 1
        if token.text in self._pairs:
            return self._pairs[token.text], 1
        return self._mistyped(token, has_capitals), 1

    def _mistyped(self, token: _Token, has_capitals: bool) -> frozenset[str]:
        shortest = _FUZZY_LENGTH if has_capitals else _FUZZY_LOWER
        if len(token.folded) < shortest or (has_capitals and not token.text[0].isupper()) or token.folded in NEVER:
            return frozenset()
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        heads = [words[0] for words in self._aliases if len(words) == 1 and words[0][0] == token.folded[0]]
        heads = [head for head in heads if len(head) >= _FUZZY_LENGTH]
        slips = 2 if len(token.folded) >= _TWO_SLIPS else 1
        match = process.extractOne(token.folded, heads, scorer=OSA.distance, score_cutoff=slips)
        return frozenset() if match is None else self._aliases[(match[0],)]

    def _newest_name(self, keys: frozenset[str]) -> str:
        return [name for key, name in self._names.items() if key in keys][-1]


def _rest_of(name: tuple[str, ...], behind: Sequence[_Token]) -> int:
    """How many words of a name stand behind its first, which may be mistyped."""
    return next(
        (at for at, (word, token) in enumerate(zip(name[1:], behind, strict=False)) if token.folded != word),
        min(len(name) - 1, len(behind)),
    )


def _legal_form(tokens: Sequence[_Token], at: int, text: str) -> int:
    """How many words from ``at`` on are the legal form of the name before them: "Acme Corp", "Acme, Inc."."""
    count = 0
    while at + count < len(tokens) and tokens[at + count].folded in _HARD_LEGAL - {"the", "de", "se"}:
        if text[tokens[at + count - 1].end : tokens[at + count].start].strip(" .,"):
            break
        count += 1
    return count


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    """A possessive typed without its apostrophe: "procter and gambles"."""
    return (*words[:-1], words[-1].removesuffix("s"))


def _spellings(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Other ways to write a name: with spaces or nothing for its hyphens ("Coca Cola"), or run together ("AmEx")."""
    found: set[tuple[str, ...]] = set()
    if any("-" in word for word in words):
        found.add(tuple(part for word in words for part in word.split("-") if part))
        found.add(tuple(word.replace("-", "") for word in words))
    if len(words) > 1 and all(word.isalpha() and len(word) > 3 for word in words[:2]):
        first, second = words[:2]
        found.update((first[:a] + second[:b],) for a in _HEADS for b in _HEADS)
    found |= _with_ampersand(words)
    return found


def _with_ampersand(words: tuple[str, ...]) -> set[tuple[str, ...]]:
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


def _looks_like_name(tokens: Sequence[_Token], at: int, count: int, has_capitals: bool) -> bool:
    """Whether a company called by a common word ("target") is meant: by a capital, an 's, or a text typed without capitals."""
    token = tokens[at]
    if count > 1 or not token.text[0].islower():
        return True
    after_article = at > 0 and tokens[at - 1].folded in _ARTICLES
    return not after_article and (tokens[at].possessive or not has_capitals)


_ARTICLES = frozenset("a an the our its their any each no this that".split())


def _same_company(by_words: dict[tuple[str, ...], set[str]], tickers: dict[str, set[str]]) -> dict[str, set[str]]:
    """Company keys that stand for one company: the same name, or the same ticker, under another number."""
    groups: dict[str, set[str]] = {}
    for keys in [*by_words.values(), *tickers.values()]:
        merged = set(keys).union(*(groups.get(key, {key}) for key in keys))
        for key in merged:
            groups[key] = merged
    return groups
