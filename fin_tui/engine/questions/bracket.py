"""What stands in brackets beside a question: how its figure is computed, or an explanation that the question can do without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fin_tui.engine.questions.definition import read_definition
from fin_tui.engine.questions.question import Question
from fin_tui.facts.figures import Mention

_BRACKET = re.compile(r"\(([^()]+)\)")
_USING = re.compile(r"\busing\s+(?P<how>[^?]+?)\s*[?.]*$", re.I)
_OPERATION = re.compile(r"[-+/*÷×−–](?=\s)|/|\b(?:less|minus|plus|over|divided\s+by|net\s+of|times)\b", re.I)
_AND_YEAR = re.compile(r",?\s*\b(?:in|for)?\s*(?:fiscal(?:\s+years?)?|FY|years?)\s*['’]?(?:(?:19|20)\d\d|\d\d)\s*$", re.I)


def bracket_definition(text: str, find: Callable[[str], Sequence[Mention]]) -> str:
    """The calculation that ``text`` gives in brackets, or behind "using", of two figures or more; "" when there is none that
    can be read whole.
    """
    for match in (*_BRACKET.finditer(text), *_USING.finditer(text)):
        how = _AND_YEAR.sub("", match.group(1))
        before = find(text[: match.start()])
        if before and _OPERATION.search(how) and len(find(how)) > 1 and read_definition(how, find, None) is not None:
            return how
    return ""


def without_brackets(question: Question) -> Question | None:
    """``question`` with its brackets blanked, places kept; None when it has none that can be left out."""
    text = _BRACKET.sub(lambda match: " " * len(match.group()), question.text)
    return None if text == question.text else replace(question, text=text)
