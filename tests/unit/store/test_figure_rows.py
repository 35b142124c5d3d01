"""Row vectors come back as they were kept, and go when the filing's content changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fin_tui.store.library import Library
from fin_tui.store.vectors import unit_rows
from tests.unit.store.made import make_entry


def _vectors(count: int) -> NDArray[np.float32]:
    made = np.random.default_rng(1).normal(size=(count, 16)).astype(np.float32)
    return unit_rows(made)


def test_rows_come_back_nearly_the_same(library: Library) -> None:
    filing = library.add(make_entry()).filing
    made = _vectors(5)
    library.figure_rows.put(filing.id, "a", ["one", "two", "three", "four", "five"], made)
    found = library.figure_rows.get(filing.id, "a")
    assert found is not None
    assert found[0] == ("one", "two", "three", "four", "five")
    cosines = (found[1] * made).sum(axis=1) / np.linalg.norm(found[1], axis=1)
    assert np.all(cosines > 0.999)


def test_what_is_missing_is_named(library: Library) -> None:
    filing = library.add(make_entry()).filing
    assert library.figure_rows.missing("a") == (filing.id,)
    library.figure_rows.put(filing.id, "a", ["one"], _vectors(1))
    assert library.figure_rows.missing("a") == ()
    assert library.figure_rows.missing("b") == (filing.id,)
    assert library.figure_rows.get(filing.id, "b") is None


def test_a_filing_without_rows_is_done(library: Library) -> None:
    filing = library.add(make_entry()).filing
    library.figure_rows.put(filing.id, "a", [], np.empty((0, 0), np.float32))
    found = library.figure_rows.get(filing.id, "a")
    assert found is not None
    assert found[0] == ()
    assert library.figure_rows.missing("a") == ()


def test_rewriting_a_filing_forgets_its_rows(library: Library) -> None:
    entry = make_entry()
    filing = library.add(entry).filing
    library.figure_rows.put(filing.id, "a", ["one"], _vectors(1))
    library.rewrite(entry)
    assert library.figure_rows.missing("a") == (filing.id,)
