"""Where the engine may read text by regular expressions: in the parsers of a notation, which are named here."""

from __future__ import annotations

import ast
from pathlib import Path

import fin_tui.engine

ENGINE = Path(fin_tui.engine.__file__).parent
PARSERS = {
    "questions/periods.py": "dates, years and quarters as people write them",
    "questions/companies.py": "names and tickers of companies",
    "questions/definitions.py": "a calculation that a question gives",
    "questions/spelling.py": "words that may be slips",
    "questions/shorthand.py": "abbreviations",
    "frame/reader.py": "the words that the trained reader labels",
    "frame/tokens.py": "the words that its tokens make up",
    "evidence/numbers.py": "amounts, percentages and plain numbers",
    "evidence/citations.py": "marks of citations",
    "evidence/paragraphs.py": "marks of bullets and footnotes",
    "structures/enumeration.py": "marks of lists within sentences",
    "structures/auditor.py": "signatures of firms",
    "structures/officers.py": "names, ages and signatures",
    "figures/covers.py": "share counts of covers",
    "reader.py": "headings of statements and notes",
    "models/stream.py": "what a model writes, as it comes",
    "exports/file.py": "Markdown",
}
"""Module -> the notation that it reads."""
CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


def has_expressions(path: Path) -> bool:
    """Whether a module uses ``re`` itself; lists of words (``any_of``) don't count."""
    calls = (node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    attributes = (one for one in calls if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name))
    return any(one.attr in CALLS and isinstance(one.value, ast.Name) and one.value.id == "re" for one in attributes)


def test_only_the_parsers_of_a_notation_have_regular_expressions() -> None:
    found = {path.relative_to(ENGINE).as_posix() for path in ENGINE.rglob("*.py") if has_expressions(path)}
    assert found == set(PARSERS)
