"""Trying a model out: what its sentences and its calculations are worth here, measured and kept in its record."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from fin_tui.config import Settings
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.models.grounding import Grounding, write_grounding
from fin_tui.engine.services import open_services
from fin_tui.evaluation.grounding import check_grounding, samples
from fin_tui.evaluation.planning import check_planning
from fin_tui.paths import Paths
from fin_tui.store.holder import is_answering


def try_model(
    paths: Paths,
    settings: Settings,
    client: LlamaClient,
    *,
    tell: Callable[[int, int], None] = lambda done, total: None,
    when_idle: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Grounding | None:
    """Ask ``client`` the questions about the sample filings and keep what is found; None when it was ``cancelled``.

    With ``when_idle`` it stops for every answer that this home is asked for meanwhile. Raises ``MissingAsset`` when a sample
    filing is not in the library, ``ModelFailed`` when the model can't run.
    """

    def gives_way() -> bool:
        return when_idle and is_answering(paths)

    with open_services(paths, settings, with_model=False, is_background=when_idle) as services:
        filings = samples(services.library.filings())
        size = client.path.stat().st_size
        found = check_grounding(services.engine, client, size, filings, tell=tell, gives_way=gives_way, cancelled=cancelled)
        if cancelled():
            return None
        asked, right, wrong = check_planning(services.engine, client, filings)
    found = replace(found, plans_asked=asked, plans_right=right, plans_wrong=wrong)
    write_grounding(client.path, found)
    return found
