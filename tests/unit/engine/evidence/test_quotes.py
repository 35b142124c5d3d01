"""A kept quote is found again in a text that was parsed anew, or said to be gone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.evidence import at_place, find_again, find_reworded, text_version
from fin_tui.records import Citation, Span
from tests.ui.fakes import TEXT, passage

_CONTEXT = 64


def citation(text: str, quote: str, nth: int = 0) -> Citation:
    """The citation of the ``nth`` place of ``quote`` in ``text``."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(quote, start + 1)
    end = start + len(quote)
    return replace(
        passage(1).citation, quote=quote, start=start, end=end, prefix=text[max(start - _CONTEXT, 0) : start],
        suffix=text[end : end + _CONTEXT],
    )  # fmt: skip


def test_a_quote_at_its_span_is_taken_as_it_is() -> None:
    kept = citation(TEXT, "Total net sales\t$ 416,161")
    assert find_again(kept, TEXT) == Span(kept.start, kept.end)


def test_a_quote_that_moved_is_followed() -> None:
    kept = citation(TEXT, "outsourcing partners")
    moved = "A new cover page.\n\n" * 40 + TEXT
    found = find_again(kept, moved)
    assert found is not None
    assert moved[found.start : found.end] == kept.quote
    assert at_place(kept, found).start == kept.start + 19 * 40


def test_what_stands_around_tells_equal_quotes_apart() -> None:
    text = "Products were 100 in 2024.\nServices were 100 in 2023.\n"
    second = citation(text, "100", nth=1)
    changed = "\n".join(["Products were 100 in 2024.", "More words.", "Services were 100 in 2023.", ""])
    found = find_again(replace(second, start=0, end=3), changed)
    assert found is not None
    assert changed[: found.start].endswith("Services were ")


def test_other_white_space_does_not_hide_a_quote() -> None:
    kept = citation(TEXT, "Total net sales\t$ 416,161\t$ 391,035")
    other = TEXT.replace("\t", " ").replace("$ ", "$")
    found = find_again(kept, other)
    assert found is not None
    assert other[found.start : found.end] == "Total net sales $416,161 $391,035"


def test_a_quote_that_is_gone_is_not_guessed() -> None:
    kept = citation(TEXT, "outsourcing partners")
    assert find_again(kept, TEXT.replace("outsourcing", "manufacturing")) is None
    assert find_again(replace(kept, quote="  "), TEXT) is None


@given(st.text(alphabet="ab \t\n", min_size=1, max_size=60), st.data())
def test_a_quote_of_a_text_is_always_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    kept = replace(passage(1).citation, quote=text[start:end], start=start, end=end, prefix=text[:start], suffix=text[end:])
    spaced = text.replace("a", "a ")
    for now in (text, "x\n" + text, spaced):
        found = find_again(kept, now)
        assert (found is None) == (not text[start:end].strip())
        if found is not None:
            assert "".join(now[found.start : found.end].split()) == "".join(text[start:end].split())


def test_a_version_stands_for_one_text() -> None:
    assert text_version(TEXT) == text_version(TEXT) != text_version(TEXT + " ")


SENTENCE = "The Company’s supply of single-source components isn’t assured, and it paid $1,204 million for capacity in 2024."
PAGE = "Competition is intense. " * 30
NOW = (
    f"{PAGE}The Company's supply of single - source components isn't assured, "
    f"and it paid $ 1,204 million for capacity in 2024.{PAGE}"
)


def test_other_marks_and_dashes_do_not_hide_a_quote() -> None:
    place = find_reworded(SENTENCE, NOW)
    assert place is not None
    assert NOW[place.start : place.end] == NOW[len(PAGE) : len(NOW) - len(PAGE)]
    kept = citation(PAGE + SENTENCE, SENTENCE)
    assert find_again(kept, NOW) == place


def test_a_few_letters_read_otherwise_are_followed() -> None:
    other = NOW.replace("components", "cornponents").replace("assured", "assured(a)")
    place = find_reworded(SENTENCE, other)
    assert place is not None
    assert "cornponents" in other[place.start : place.end]


@pytest.mark.parametrize(
    "now",
    [
        NOW.replace("1,204", "1,304"),
        NOW.replace("in 2024", "in 2025"),
        NOW.replace("isn't assured", "is assured"),
        NOW.replace("components", "cornponents") * 2,
        NOW + SENTENCE.replace("’", "'"),
        PAGE,
        "",
    ],
    ids=["another figure", "another year", "denied no more", "two alike", "two the same", "nothing like it", "no text"],
)
def test_another_statement_or_two_places_are_none(now: str) -> None:
    assert find_reworded(SENTENCE, now) is None


def test_a_short_quote_is_never_guessed() -> None:
    assert find_reworded("outsourcing partners", TEXT.replace("outsourcing partners", "outsourcing partnern")) is None
    assert find_reworded("—", TEXT) is None
