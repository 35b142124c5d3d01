"""The parts of a question set: no company in two, near the sizes asked, the same for the same seed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from training.split import DATA, SHARES, company_of, grouped, split

FORMATS = {f"C{number}_10-K_FY{year}.htm": ("inline", "html")[number % 2] for number in range(40) for year in (2020, 2021)}


@pytest.fixture(scope="module")
def rows() -> Sequence[Mapping[str, Any]]:
    chance = random.Random(1)
    files = sorted(FORMATS)
    made: list[dict[str, Any]] = [
        {"id": f"q{at:03}", "kind": chance.choice(("number", "words", "list")), "filing": [chance.choice(files)]}
        for at in range(200)
    ]
    made += [{"id": "both", "kind": "number", "filing": ["C3_10-K_FY2020.htm", "C8_10-K_FY2021.htm"]}]
    return [*made, {"id": "none", "kind": "refuse", "filing": []}]


def test_no_company_stands_in_two_parts(rows: Sequence[Mapping[str, Any]]) -> None:
    where = {one: part for part, ids in split(grouped(rows, FORMATS), 5).items() for one in ids}
    assert len(where) == len(rows)
    parts: dict[str, set[str]] = {}
    for row in rows:
        for file in row["filing"]:
            parts.setdefault(company_of(file), set()).add(where[row["id"]])
    assert {len(some) for some in parts.values()} == {1}
    assert parts["C3"] == parts["C8"]


def test_each_part_has_its_share_of_each_kind(rows: Sequence[Mapping[str, Any]]) -> None:
    parts = split(grouped(rows, FORMATS), 5)
    kinds = {row["id"]: row["kind"] for row in rows}
    for part, share in SHARES.items():
        for kind in ("number", "words", "list"):
            whole = sum(one == kind for one in kinds.values())
            assert abs(sum(kinds[one] == kind for one in parts[part]) - share * whole) <= 6, (part, kind)


def test_a_seed_gives_the_same_parts_again(rows: Sequence[Mapping[str, Any]]) -> None:
    groups = grouped(rows, FORMATS)
    assert split(groups, 5) == split(groups, 5)
    assert split(groups, 5) != split(groups, 6)


def test_the_kept_parts_share_no_question() -> None:
    parts = json.loads((DATA / "natural_parts.json").read_text(encoding="utf-8"))["parts"]
    ids = [one for part in SHARES for one in parts[part]]
    assert len(ids) == len(set(ids)) == 300
    assert len(parts["aside"]) >= 80
