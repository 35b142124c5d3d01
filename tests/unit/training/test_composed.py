"""Questions put together from frames and names."""

from __future__ import annotations

from training.composed import composed
from training.train import DATA, lines

FRAMES = [{"text": "what % of {b} went to {a} at {company} in {period}?", "operation": "share", "answer_type": "percent"}]
NAMED = [{"company": ["Acme"], "period": ["FY23"], "part": ["Europe"], "target": ["cost of sales", "rent"], "answer": "money"}]


def test_each_name_stands_in_the_question_and_is_labelled_by_its_kind() -> None:
    for one in composed(FRAMES, NAMED, ["Accounts payable, net"], 20, 3):
        assert all(name in one["question"] for kind in ("company", "period", "target", "part") for name in one[kind])
        assert [name.lower() for name in (*one["company"], *one["period"])] == ["acme", "fy23"]
        assert len(one["target"]) == 2
        assert (one["operation"], one["answer"]) == ("share", "percent")


def test_no_two_slots_have_the_same_name() -> None:
    assert all(len(set(one["target"])) == 2 for one in composed(FRAMES, NAMED, [], 20, 3))


def test_the_frames_of_the_project_can_all_be_filled() -> None:
    frames = lines(DATA / "frames.jsonl")
    made = composed(frames, [{**NAMED[0], "period": ["FY22", "FY23"], "part": ["Europe", "Asia"]}], ["capex", "debt"], 400, 3)
    assert "{" not in "".join(one["question"] for one in made)
