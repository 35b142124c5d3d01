"""All settings in one list: models, search, encoder, colours, keys. What is changed is written at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
from msgspec import inspect
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, UsageError, in_one_line
from fin_tui.ui.keymap import Action, clash, key_names, keys_now
from fin_tui.ui.messages import ModelWanted, ReindexWanted, SettingRefused, SettingsChanged, SettingsRead
from fin_tui.ui.screens.dialog import ChooseScreen, Dialog, KeyScreen
from fin_tui.ui.services import Services
from fin_tui.ui.text import clean, one_line
from fin_tui.ui.widgets.bars import PassingLine
from fin_tui.ui.widgets.lists import PickList

if TYPE_CHECKING:
    from fin_tui.engine.models.listing import ListedModel

Kind = Literal["choice", "switch", "number", "text"]

_ABOUT = {
    "model.name": "the language model that writes answers",
    "model.context": "tokens that question, evidence and answer share",
    "model.threads": "0: all physical cores",
    "model.evidence_tokens": "tokens of evidence that the model reads",
    "model.answer_tokens": "the longest answer in tokens",
    "search.mode": "by words and meaning, by meaning alone, by words alone",
    "search.k": "passages of an answer",
    "search.candidates": "passages that each index gives before they are fused",
    "search.fusion": "how both rankings become one",
    "search.rrf_k": "constant of reciprocal rank fusion",
    "search.dense_weight": "share of meaning when fusion is weighted, 0 to 1",
    "search.rerank": "reorder the best passages with a cross-encoder",
    "search.rerank_deadline_ms": "time for that, in milliseconds",
    "encoder.kind": "which library makes vectors",
    "encoder.model": "a folder under models/, a path, or a hub name",
    "encoder.batch": "passages that are encoded together",
    "chunking.strategy": "where filings are cut into passages",
    "chunking.size": "words of a passage",
    "chunking.overlap": "words that neighbours share",
    "chunking.minimum": "shorter pieces are joined to a neighbour",
    "corpus.uri": "a team's corpus to ask, http[s]://HOST:PORT; empty: the library of this machine",
    "corpus.timeout_s": "seconds that it has for one call",
    "app.theme": "colours",
}
_SECTIONS = ("model", "search", "encoder", "chunking", "app")
"""First and in this order; others follow."""
LIVE = frozenset({"search.mode", "search.rerank", "app.theme", "app.keys"})
"""What the app applies by itself; for all else the library is opened anew."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the settings."""

    key: str
    """"search.mode"."""
    value: Any
    default: Any
    kind: Kind
    choices: tuple[str, ...] = ()
    """For a choice."""
    is_fixed: bool = False
    """An environment variable sets it: the file has no say."""

    @property
    def about(self) -> str:
        return _ABOUT.get(self.key, "")

    @property
    def variable(self) -> str:
        """The environment variable of this key."""
        return "FIN_TUI_" + self.key.replace(".", "_").upper()

    @property
    def shown(self) -> str:
        return ("on" if self.value else "off") if self.kind == "switch" else str(self.value)

    def parse(self, text: str) -> Any:
        """The value that was typed. Raises ``UsageError`` when it is not of this kind; its range is the file's to check."""
        text = text.strip()
        if self.kind != "number":
            return text
        try:
            return type(self.default)(text)
        except ValueError as error:
            whole = "a whole number" if isinstance(self.default, int) else "a number"
            raise UsageError(f"{text!r} is no number.", f"{self.key} takes {whole}, such as {self.default}.") from error


def settings_of(settings: Settings, fixed: Collection[str], themes: Collection[str] = ()) -> tuple[Setting, ...]:
    """All settings but the keys of actions, those people change most first."""
    rows: list[Setting] = []
    types = {field.name: field.type for field in _fields(inspect.type_info(Settings))}
    names = [*_SECTIONS, *(name for name in types if name not in _SECTIONS)]
    defaults = Settings()
    for section in names:
        values, standard = getattr(settings, section), getattr(defaults, section)
        for field in _fields(types[section]):
            key = f"{section}.{field.name}"
            if isinstance(field.type, inspect.DictType):
                continue
            kind, choices = _kind(field.type)
            if key == "app.theme" and themes:
                kind, choices = "choice", tuple(themes)
            rows.append(Setting(key, getattr(values, field.name), getattr(standard, field.name), kind, choices, key in fixed))
    return tuple(rows)


def changed_keys(before: Settings, after: Settings) -> frozenset[str]:
    """The keys whose values differ."""
    a, b = _flat(before), _flat(after)
    return frozenset(key for key in a if a[key] != b.get(key))


def _flat(settings: Settings) -> Mapping[str, Any]:
    plain = msgspec.to_builtins(settings)
    return {f"{section}.{key}": value for section, values in plain.items() for key, value in values.items()}


def _fields(type_: inspect.Type) -> tuple[inspect.Field, ...]:
    return type_.fields if isinstance(type_, inspect.StructType) else ()


def _kind(type_: inspect.Type) -> tuple[Kind, tuple[str, ...]]:
    match type_:
        case inspect.LiteralType(values=values):
            return "choice", tuple(str(value) for value in values)
        case inspect.BoolType():
            return "switch", ()
        case inspect.IntType() | inspect.FloatType():
            return "number", ()
    return "text", ()


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


class SettingsScreen(Dialog[None]):
    """A list that a line of words narrows; Enter changes the line under the cursor."""

    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "#setting-list"
    HELP = """\
## Settings

**Enter** changes the line: a switch turns, a choice opens, a number is typed, a model is used or brought, an action gets another
key. **d** gives the line its default again. **/** narrows the list, **R** re-reads all filings, **Esc** closes.

Changes are written to fin-tui.toml at once; your comments in it stay.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="settings.close", tooltip="Back; what was changed is written already"),
        Binding("d", "default", "Default", id="settings.default", tooltip="Give this line its default again"),
        Binding("slash", "filter", "Filter", id="settings.filter", tooltip="Show only lines with these words"),
        Binding("R", "reindex", "Re-read all", id="settings.reindex", tooltip="Read all filings again, cut as is set now"),
    ]

    def __init__(self, services: Services, read: SettingsRead, actions: tuple[Action, ...], themes: tuple[str, ...]) -> None:
        super().__init__()
        self._services = services
        self._read = read
        self._actions = actions
        self._themes = themes
        self._lines: list[Line] = []
        self._edited: Setting | None = None
        """The setting that is being typed; None while the line narrows the list."""

    def compose(self) -> ComposeResult:
        with Vertical(id="settings") as box:
            box.border_title = "Settings"
            yield PickList(id="setting-list", markup=False, compact=True)
            yield PassingLine(id="setting-line")
            yield Static("", markup=False, id="setting-note")
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self._fill()

    @on(SettingsRead)
    def _was_read(self, event: SettingsRead) -> None:
        self._read = event
        self._fill()
        self.app.post_message(SettingsChanged(event.settings))

    @on(SettingRefused)
    def _refused(self, event: SettingRefused) -> None:
        self._note(f"{event.message}\n{event.hint}".strip())

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        line = self._lines[event.option_index]
        if line.model is not None:
            self._use_model(line)
        elif line.action is not None:
            self._change_key(line.action)
        elif line.setting is not None:
            self._change(line.setting)

    @on(Input.Changed)
    def _typed(self) -> None:
        if self._edited is None:
            self._fill()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._edited is None:
            self.query_one(OptionList).focus()
            return
        try:
            self._save(self._edited.key, self._edited.parse(event.value))
        except UsageError as error:
            self._note(in_one_line(error.message, error.hint))

    def action_filter(self) -> None:
        self._edited = None
        self.query_one(PassingLine).open("words")

    def action_default(self) -> None:
        line = self._chosen
        if line is not None and line.setting is not None:
            self._save(line.setting.key, None)
        elif line is not None and line.action is not None:
            self._save(f"app.keys.{line.action.id}", None)

    def action_reindex(self) -> None:
        self.app.post_message(ReindexWanted())
        self._note("All filings are being read again; the log (l) shows how far.")

    def action_close(self) -> None:
        if self.query_one(PassingLine).display:
            self._leave_line()
        else:
            self.dismiss()

    @property
    def _chosen(self) -> Line | None:
        return self.query_one(PickList).chosen_of(self._lines)

    def _use_model(self, line: Line) -> None:
        model = line.model
        if model is None or model.in_use:
            return
        if model.is_here and not model.problem:
            self._save("model.name", model.name)
            return
        self.app.post_message(ModelWanted(model.name))
        how = "linked" if model.place else "downloaded"
        self._note(f"{model.name} is being {how}; the log (l) shows how far. Then it is tried, and writes if it does so well.")

    def _change(self, setting: Setting) -> None:
        if setting.is_fixed:
            self._note(f"The environment variable {setting.variable} sets it: unset that first.")
        elif setting.kind == "switch":
            self._save(setting.key, not setting.value)
        elif setting.kind == "choice":
            self.app.push_screen(
                ChooseScreen(setting.key, setting.choices, str(setting.value)),
                lambda value: self._save(setting.key, value) if value is not None else None,
            )
        else:
            self._edited = setting
            self.query_one(PassingLine).open(setting.about, str(setting.value))

    def _change_key(self, action: Action) -> None:
        changed = self._read.settings.app.keys
        self.app.push_screen(
            KeyScreen(action.what, lambda key: clash(self._actions, changed, action, key)),
            lambda key: self._save(f"app.keys.{action.id}", key) if key is not None else None,
        )

    def _leave_line(self) -> None:
        self._edited = None
        self.query_one(PassingLine).leave()
        self._note("")
        self._fill()
        self.query_one(OptionList).focus()

    def _save(self, key: str, value: Any) -> None:
        self._note("")
        self._write(key, value)

    @work(thread=True, group="settings", exit_on_error=False)
    def _write(self, key: str, value: Any) -> None:
        options = self._services.options
        try:
            settings = options.save(key, value)
            self.post_message(SettingsRead(settings, options.fixed(), options.models()))
        except FinTuiError as error:
            self.post_message(SettingRefused(error.message, error.hint))

    def _fill(self) -> None:
        """Draw the list; a value that was being typed has been taken."""
        if self._edited is not None:
            self._edited = None
            self._leave_line()
            return
        read, options = self._read, self.query_one(OptionList)
        settings = settings_of(read.settings, read.fixed, self._themes)
        self._lines = lines_of(read.models, settings, self._actions, read.settings.app.keys, self.query_one(PassingLine).value)
        at = options.highlighted
        options.set_options([Option(line.content, disabled=line.is_heading) for line in self._lines])
        if self._lines:
            options.highlighted = min(max(at or 1, 1), len(self._lines) - 1)

    def _note(self, text: str) -> None:
        self.query_one("#setting-note", Static).update(Content(clean(text)))
