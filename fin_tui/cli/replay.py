"""``ask --replay``: the questions of a stored conversation asked again, each answer beside the one that was given then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import dumps, shown
from fin_tui.errors import NotFound

if TYPE_CHECKING:
    from fin_tui.engine.answering.answer import Request
    from fin_tui.engine.answering.events import Finished
    from fin_tui.engine.kept.replay import Replayed
    from fin_tui.engine.services import Services


def replay(
    services: Services, name: str, common: Request, answer: Callable[[Services, Request], Finished], *, as_json: bool
) -> None:
    """Ask each question of the conversation ``name`` as ``common`` says; nothing is kept. Raises ``NotFound``."""
    from fin_tui.engine.kept.conversation import fingerprint
    from fin_tui.engine.kept.replay import replayed, requests_of

    conversation = services.library.conversations.get(name)
    turns = services.library.conversations.turns(conversation.id)
    if not turns:
        raise NotFound(f"Nothing was asked in conversation {conversation.id}.", "fin-tui conversations lists them.")
    found: list[dict[str, Any]] = []
    for turn, request in zip(turns, requests_of(turns, common), strict=True):
        now = answer(services, request).answer
        made = fingerprint(now, services.corpus.generation(), services.served.name if services.served else "")
        compared = replayed(turn, now, made)
        if as_json:
            found.append(_json(turn.ordinal, compared))
        else:
            _print(turn.created, compared)
    if as_json:
        print(dumps({"conversation": conversation.id, "turns": found}))


def _json(ordinal: int, compared: Replayed) -> dict[str, Any]:
    same = {"ordinal": ordinal, "question": compared.before.question, "same": compared.is_same, "changes": compared.changes}
    return {**same, "before": compared.before, "answer": compared.now}


def _print(created: str, compared: Replayed) -> None:
    made = f" ({'; '.join(compared.changes)})" if compared.changes else ""
    if compared.is_same:
        print(f"The same as on {created[:10]}{shown(made)}.\n")
    else:
        print(f"On {created[:10]}{shown(made)} it was: {shown(compared.before.answer)}\n")
