"""The best model is the largest that writes quickly enough here, with memory to spare; what lies here goes before a download."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.assets import load_catalogue
from fin_tui.engine.models.grounding import Grounding
from fin_tui.engine.models.listing import ListedModel, Speed, estimate, offer_words, ranked, recommend

GB = 1_000_000_000


def model(
    name: str, billions: float, *, place: str = "", is_open: bool = True, grounding: Grounding | None = None
) -> ListedModel:
    size = round(billions * 650)
    return ListedModel(
        name, Path(name), size, size + 600, "Apache-2.0", False, False, grounding=grounding, place=place, is_open=is_open,
        parameters=round(billions * 1e9),
    )  # fmt: skip


def speed(decode: float, prefill: float) -> list[Speed]:
    """Of the shipped model."""
    return [Speed(98_000_000, 135_000_000, prefill, decode, {})]


SIZES = [model("tiny", 0.6), model("small", 1.5), model("middle", 3.0), model("large", 4.0)]


@pytest.mark.parametrize(
    ("decode", "prefill", "memory", "best"),
    [
        (500, 3000, 64 * GB, "large"),
        (500, 3000, 6 * GB, "middle"),
        (500, 3000, 4 * GB, "small"),
        (57, 3000, 64 * GB, "small"),
        (500, 6, 64 * GB, "large"),
        (30, 3000, 64 * GB, None),
        (500, 3000, 2 * GB, None),
    ],
)
def test_speed_and_memory_decide(decode: float, prefill: float, memory: int, best: str | None) -> None:
    offer = recommend(SIZES, speed(decode, prefill), memory)
    assert (offer.model.name if offer else None) == best


def test_without_a_measurement_memory_decides_alone() -> None:
    offer = recommend(SIZES, [], 6 * GB)
    assert offer is not None
    assert (offer.model.name, offer.decode) == ("middle", 0.0)
    assert "tokens/s" not in offer_words(offer)


def test_what_lies_here_goes_before_a_download_that_is_not_clearly_larger() -> None:
    here = model("mine", 3.0, place="LM Studio")
    offer = recommend([*SIZES, here], speed(500, 3000), 64 * GB)
    assert offer is not None
    assert offer.model == here
    assert "in LM Studio: no download" in offer_words(offer)
    small = model("mine", 1.5, place="LM Studio")
    away = recommend([*SIZES, small], speed(500, 3000), 64 * GB)
    assert away is not None
    assert away.model.name == "large"
    assert "2,600 MB to download" in offer_words(away)
    assert [offer.model for offer in ranked([*SIZES, small], speed(500, 3000), 64 * GB)] == [away.model, small]


def test_a_model_found_to_write_badly_or_with_a_narrow_licence_is_not_recommended() -> None:
    bad = model("large", 4.0, grounding=Grounding(1, 20, 40, 10))
    narrow = model("larger", 4.0, is_open=False)
    offer = recommend([*SIZES[:3], bad, narrow], speed(500, 3000), 64 * GB)
    assert offer is not None
    assert offer.model.name == "middle"


def test_the_nearest_measured_model_tells_most() -> None:
    near = Speed(1_000_000_000, 1_500_000_000, 90.0, 23.0, {})
    offer = estimate(SIZES[2], [*speed(106, 620), near])
    assert offer.decode == pytest.approx(23.0 * (1000 / 1950) ** 0.85)
    assert offer.first_word_s == pytest.approx(800 / 45)
    assert estimate(SIZES[2], speed(106, 620)).first_word_s == 0.0


def test_a_wait_that_is_foretold_too_long_counts() -> None:
    """Of a model that is large enough to tell: 1.5 billion weights read 60 tokens a second, so that 4 billion take 36 s."""
    offer = recommend(SIZES, [Speed(1_000_000_000, 1_500_000_000, 60.0, 23.0, {})], 64 * GB)
    assert offer is not None
    assert (offer.model.name, round(offer.first_word_s)) == ("small", 13)


def test_two_cores_that_were_measured_are_foretold_on_the_slow_side() -> None:
    measured = [Speed(145_000_000, 135_000_000, 620.0, 106.0, {})]
    half, whole = model("half", 0.5), model("whole", 1.5)
    assert 30 < estimate(replace(half, size_mb=491), measured).decode < 39
    assert 15 < estimate(replace(whole, size_mb=1117), measured).decode < 23


def test_the_catalogue_names_twelve_models_with_their_hashes() -> None:
    models = load_catalogue().models
    assert len({m.name for m in models}) == len(models) == 12
    assert {"qwen3-1.7b", "qwen2.5-1.5b-instruct", "smollm3-3b", "llama-3.2-3b-instruct", "phi-4-mini-instruct"} <= {
        m.name for m in models
    }
    for one in models:
        assert len(one.sha256) in (0, 64)
        assert one.memory_mb * 1_000_000 > one.size > one.parameters * 4e8
        assert one.file.endswith(".gguf")
