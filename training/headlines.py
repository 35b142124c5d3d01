"""Questions for everyday figures in other people's words: wordings of metrics, asked of filings that state them.

A wording of ``meanings.jsonl`` stands in a frame of a question with the name of a company and a year; what the question asks for
is what the filing's own facts, or the metric's formula over them, give.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from fin_tui.engine.services import Services
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing
from training.train import DATA, lines

_SLOTS = {"company", "a", "period"}
_CLAUSES, _OF_CLAUSES = ("how ", "what ", "who "), "{company} {period}: {a}?"
"""Wordings that are questions themselves, and the frame that they stand in."""
_SLOT = re.compile(r"\{(\w+)\}")


def headlines(services: Services, files: Sequence[str], split: str, count: int, seed: int) -> list[dict[str, Any]]:
    """``count`` questions {"question", "value", "accept", "file", "metric"} over the filings with these base names, in the
    wordings of the ``split``: each metric about equally often.
    """
    chance = random.Random(seed)
    plain = (one for one in lines(DATA / "frames.jsonl") if (one["operation"], one["answer_type"]) == ("lookup", "money"))
    texts = [one["text"] for one in plain]
    frames = [text for text in texts if {*_SLOT.findall(text)} == _SLOTS]
    written = [row for row in lines(DATA / "meanings.jsonl") if row["split"] == split]
    held = [one for one in services.corpus.filings() if one.file in files and one.fiscal_year and one.company]
    said = [(row["metric"], phrase) for row in written for phrase in row["phrases"]]
    made: dict[str, dict[str, Any]] = {}
    for metric, phrase in chance.sample(said, len(said)):
        filing, value = next(_stated(services, metric, chance.sample(held, len(held))), (None, 0.0))
        if filing is None:
            continue
        year = filing.fiscal_year
        period = chance.choice((f"{year}", f"FY{year}", f"fiscal {year}", f"FY{str(year)[2:]}"))
        frame = _OF_CLAUSES if phrase.startswith(_CLAUSES) else chance.choice(frames)
        text = frame.format(company=spoken_name(filing.company), a=phrase, period=period)
        made[text] = {"question": text, "value": value, "accept": [], "file": filing.file, "metric": metric}
        if len(made) == count:
            break
    return list(made.values())


def _stated(services: Services, metric_id: str, held: Sequence[Filing]) -> Iterator[tuple[Filing, float]]:
    """The filings that state a metric of their own year, with its value."""
    metric = vocabulary().get(metric_id)
    for filing in held:
        found = services.book.figure(metric, (filing,), filing.fiscal_year or 0) if metric is not None else None
        if isinstance(found, Figure) and found.value:
            yield filing, float(found.value)
