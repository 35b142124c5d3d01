"""Reading an event stream to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fin_tui.engine.answering.answer import Request
from fin_tui.engine.answering.compose import failed
from fin_tui.engine.answering.events import Event, Failed, Finished
from fin_tui.records import Answer


def to_the_end(events: Iterable[Event], request: Request, show: Callable[[Event], None]) -> Finished:
    """Hand each event to ``show`` and give the end: answer and passages; a failure becomes an answer with status "error"."""
    end = Finished(failed(request.question, request.id, "The answer ended without a result.", ""))
    for event in events:
        show(event)
        if isinstance(event, Finished):
            end = event
        elif isinstance(event, Failed):
            end = Finished(failed(request.question, request.id, event.message, event.hint))
    return end


def tap(events: Iterable[Event], request: Request, show: Callable[[Event], None]) -> Answer:
    """Hand each event to ``show`` and give the answer at the end."""
    return to_the_end(events, request, show).answer


def last_answer(events: Iterable[Event], request: Request) -> Answer:
    """The answer at the end of ``events``."""
    return tap(events, request, lambda _: None)
