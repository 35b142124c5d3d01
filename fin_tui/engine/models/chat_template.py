"""From messages to the text that a model was trained to continue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fin_tui.engine.models.protocol import Message
from fin_tui.errors import ModelFailed

Formatter = Callable[[list[dict[str, str]]], str]
"""A model's own chat template: turns with "role" and "content" -> prompt text. Raises what it likes."""


def render_prompt(messages: Sequence[Message], formatter: Formatter | None, marks: Sequence[str]) -> str:
    """The prompt by the model's template, or plain paragraphs when it has none.

    ``marks`` are the vocabulary's control tokens; they can't come out of a message's content. Raises ``ModelFailed`` when
    the template refuses.
    """
    turns = [{"role": turn.role, "content": harmless(turn.content, marks)} for turn in messages]
    if formatter is None:
        return "\n\n".join(turn["content"] for turn in turns) + "\n\nAnswer:"
    try:
        return formatter(turns)
    except Exception:  # noqa: BLE001 - a template is its makers' program: most often it has no place for a system turn
        try:
            return formatter(without_system(turns))
        except Exception as error:  # the same program, and whatever it raises
            raise ModelFailed(f"The model's chat template can't be used: {error}", "Choose another instruct model.") from error


def harmless(content: str, marks: Sequence[str]) -> str:
    """``content`` with the model's marks broken up, so that a filing can't end a turn or begin one."""
    for mark in marks:
        if mark in content:
            content = content.replace(mark, f"{mark[0]} {mark[1:]}")
    return content


def without_system(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The system turn's text at the head of the first other turn, for templates that know no system turn."""
    system = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    rest = [dict(turn) for turn in turns if turn["role"] != "system"]
    if system and rest:
        rest[0]["content"] = f"{system}\n\n{rest[0]['content']}"
    return rest
