"""Reading an event stream to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fin_tui.engine.answer import Request
from fin_tui.engine.compose import failed
from fin_tui.engine.events import Event, Failed, Finished
from fin_tui.records import Answer


def tap(events: Iterable[Event], request: Request, show: Callable[[Event], None]) -> Answer:
    """Hand each event to ``show`` and give the answer at the end; a failure becomes an answer with status "error"."""
    answer = failed(request.question, request.id, "The answer ended without a result.", "")
    for event in events:
        show(event)
        if isinstance(event, Finished):
            answer = event.answer
        elif isinstance(event, Failed):
            answer = failed(request.question, request.id, event.message, event.hint)
    return answer


def last_answer(events: Iterable[Event], request: Request) -> Answer:
    """The answer at the end of ``events``."""
    return tap(events, request, lambda _: None)
