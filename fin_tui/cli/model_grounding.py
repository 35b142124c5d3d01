"""The grounding check on the command line: run it, and say in a line what a model may be used for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fin_tui.cli.context import Context
from fin_tui.errors import FinTuiError

if TYPE_CHECKING:
    from fin_tui.engine.models.client import LlamaClient
    from fin_tui.engine.models.grounding import Grounding


def measure_grounding(context: Context, client: LlamaClient) -> Grounding | None:
    """Ask ``client`` the questions about the sample filings and keep what is found; says why when that can't be done."""
    from fin_tui.evaluation.trial import try_model

    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\rquestion {done + 1} of {total} ", end="", file=sys.stderr, flush=True)

    try:
        found = try_model(context.paths, context.settings, client, tell=tell)
    except FinTuiError as error:
        print(f"What its sentences are worth was not measured: {error.message} {error.hint}".rstrip(), file=sys.stderr)
        return None
    if sys.stderr.isatty():
        print(file=sys.stderr)
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
