"""The lines of the settings screen. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from fin_tui.ui.keymap import Action, key_names, keys_now
from fin_tui.ui.setting_rows import Setting
from fin_tui.ui.text import one_line

if TYPE_CHECKING:
    from fin_tui.engine.models.listing import ListedModel

_TITLES = {
    "model": "Language model",
    "search": "Search",
    "encoder": "Encoder: changing it makes all vectors anew",
    "chunking": "Passages: R re-reads all filings with it",
    "app": "App",
    "edgar": "EDGAR",
    "network": "Network",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line, and what it stands for: a heading stands for nothing."""

    content: Content
    words: str = ""
    """What a filter looks at."""
    setting: Setting | None = None
    model: ListedModel | None = None
    action: Action | None = None

    @property
    def is_heading(self) -> bool:
        return self.setting is None and self.model is None and self.action is None


def lines_of(
    models: Sequence[ListedModel], settings: Sequence[Setting], actions: Sequence[Action], changed: Mapping[str, str], words: str
) -> list[Line]:
    """All lines that hold every word of ``words``, each group under its heading."""
    groups: dict[str, list[Line]] = {"Models: Enter uses one, or downloads it": [_model_line(model) for model in models]}
    for setting in settings:
        section = setting.key.partition(".")[0]
        groups.setdefault(_TITLES.get(section, section), []).append(_setting_line(setting))
    for action in actions:
        groups.setdefault(f"Keys · {action.place}", []).append(_key_line(action, changed))
    return list(_matching(groups, words.casefold().split()))


def _matching(groups: Mapping[str, Sequence[Line]], words: Sequence[str]) -> Iterator[Line]:
    for title, lines in groups.items():
        found = [line for line in lines if all(word in f"{title} {line.words}".casefold() for word in words)]
        if found:
            yield Line(Content.styled(title, "bold $secondary"))
            yield from found


def _model_line(model: ListedModel) -> Line:
    mark = "● " if model.in_use else "  "
    size = f"{model.size_mb:>5,} MB"
    state = model.problem or ("here" if model.is_here else f"in {model.place}" if model.place else "not here")
    words = f"{model.name} {state} model"
    # What is known of a model that is here takes a line of its own: it has to be read whole on a narrow screen too.
    about = f"{size}  {one_line(state)}" + ("\n      " if model.is_here else "  ") + worth(model)
    content = Content.assemble((mark, "bold $accent"), f"{one_line(model.name):<26} ", (about, "$foreground-muted"))
    return Line(content, words, model=model)


def worth(model: ListedModel) -> str:
    """What is known of a model: "56 % of 54 sentences supported: rests · 36 tokens/s"."""
    known = model.grounding
    said = []
    if known is not None and known.sentences:
        use = " and ".join(known.uses) or "rests"
        said.append(f"{known.share:.0%} of {known.sentences} sentences supported: {use}")
    elif model.is_here:
        said.append("its sentences were not measured")
    if model.decode:
        said.append(f"{model.decode:.0f} tokens/s")
    if not model.is_here and model.memory_mb:
        said.append(f"needs {model.memory_mb:,} MB of memory")
    return " · ".join(said)


def _setting_line(setting: Setting) -> Line:
    name = setting.key.partition(".")[2]
    changed = "bold" if setting.value != setting.default else ""
    about = f"set by {setting.variable}" if setting.is_fixed else setting.about
    content = Content.assemble(
        f"  {name:<20} ", (f"{one_line(setting.shown) or '–':<22} ", changed or "$foreground"), (about, "$foreground-muted")
    )
    return Line(content, f"{setting.key} {setting.shown} {about}", setting=setting)


def _key_line(action: Action, changed: Mapping[str, str]) -> Line:
    keys = key_names(keys_now(action, changed))
    style = "bold $accent" if action.id in changed else "$accent"
    content = Content.assemble("  ", (f"{keys:<20} ", style), action.what, (f"  {action.id}", "$foreground-muted"))
    return Line(content, f"{keys} {action.what} {action.id} key", action=action)
