"""The grounding check on the command line: run it, and say in a line what a model may be used for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fin_tui.cli.context import Context
from fin_tui.errors import FinTuiError
from fin_tui.plural import count

if TYPE_CHECKING:
    from fin_tui.engine.models.client import LlamaClient
    from fin_tui.engine.models.grounding import Grounding

_FEWEST = 8
"""The share of a few lucky sentences would say nothing."""


def measure_grounding(context: Context, client: LlamaClient, *, limit_s: float = float("inf")) -> Grounding | None:
    """Ask ``client`` the questions about the sample filings and keep what is found; says why when that can't be done."""
    from msgspec.structs import replace

    from fin_tui.engine.models.grounding import write_grounding
    from fin_tui.engine.services import open_services
    from fin_tui.evaluation.grounding import check_grounding, samples
    from fin_tui.evaluation.planning import check_planning

    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\rquestion {done + 1} of {total} ", end="", file=sys.stderr, flush=True)

    try:
        with open_services(context.paths, context.settings, with_model=False) as services:
            filings = samples(services.library.filings())
            size = client.path.stat().st_size
            found = check_grounding(services.engine, client, size, filings, limit_s=limit_s, tell=tell)
            if limit_s == float("inf"):
                asked, right, wrong = check_planning(services.engine, client, filings)
                found = replace(found, plans_asked=asked, plans_right=right, plans_wrong=wrong)
    except FinTuiError as error:
        print(f"What its sentences are worth was not measured: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return None
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if found.questions < _FEWEST:
        print(f"Only {count(found.questions, 'question')} fitted the time; fin-tui models bench asks all.", file=sys.stderr)
        return None
    write_grounding(client.path, found)
    return found


def grounding_row(model: Path) -> dict[str, Any] | None:
    """What is known of a model file, as JSON shows it."""
    from fin_tui.engine.models.grounding import read_grounding

    return grounding_json(read_grounding(model))


def grounding_json(known: Grounding | None) -> dict[str, Any] | None:
    """A finding as JSON shows it."""
    import msgspec

    return None if known is None else {**msgspec.to_builtins(known), "share": round(known.share, 3), "uses": list(known.uses)}


def use_line(row: Mapping[str, Any] | None) -> str:
    """ "writing (87% of 54 sentences are supported)"; "not measured" for none."""
    if row is None:
        return "not measured"
    plans = f"; of {row['plans_asked']} calculations {row['plans_right']} right, {row['plans_wrong']} wrong"
    supported = f"{row['share']:.0%} of {row['sentences']} sentences are supported"
    return f"{uses(row)} ({supported}{plans if row['plans_asked'] else ''})"


def uses(row: Mapping[str, Any]) -> str:
    """What the model is used for."""
    return " and ".join(row["uses"]) or "rests"
