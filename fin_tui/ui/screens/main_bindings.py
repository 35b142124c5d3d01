"""The keys of the main screen. Single keys act outside the prompt; with Alt or Ctrl they act everywhere.

Alt with b and f is not to be had: what terminals send for them means a word to the left and to the right. Alt with a digit comes
as a letter of its own (¡, £) from all but those that speak the Kitty protocol: there a digit outside the prompt does the same.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType


def _digits() -> list[BindingType]:
    return [
        Binding(
            f"{digit},alt+{digit}",
            f"digit({digit})",
            f"Source {digit}",
            show=False,
            id=f"sources.digit-{digit}",
            tooltip=f"Show source {digit}; two digits typed quickly name sources from 10 on",
        )
        for digit in range(10)
    ]


BINDINGS: list[BindingType] = [
    Binding("escape", "stop", "Stop", id="chat.stop", tooltip="Stop the answer that is being made"),
    Binding(
        "escape",
        "leave",
        "Back",
        id="prompt.leave",
        tooltip="Leave the prompt for the conversation; on a narrow screen, go back to it",
    ),
    Binding("i", "write", "Ask", id="prompt.focus", tooltip="Go to the prompt"),
    Binding("n,alt+n", "source('next')", "Next source", id="sources.next", tooltip="Show the next source"),
    Binding(
        "p,alt+p", "source('previous')", "Previous source", show=False, id="sources.previous", tooltip="Show the previous source"
    ),
    Binding(
        "ctrl+o",
        "source('open')",
        "Open filing",
        id="sources.read",
        tooltip="Read the filing at the shown passage; D there compares it with the year before",
    ),
    Binding(
        "e,alt+e",
        "source('explain')",
        "Explain",
        id="sources.explain",
        show=False,
        tooltip="Show how the passage was found, with its figures",
    ),
    Binding("y,alt+y", "look('copy')", "Copy", id="copy.answer", tooltip="Copy the last answer as Markdown with its sources"),
    Binding(
        "t,alt+t",
        "look('copy-table')",
        "Copy table",
        id="copy.table",
        show=False,
        tooltip="Copy the figures of the last answer as a table (TSV)",
    ),
    Binding("c,alt+c", "look('charts')", "Charts", id="chat.charts", show=False, tooltip="Show or hide the charts"),
    Binding(
        "d,alt+d",
        "look('figure')",
        "Figure",
        id="figure.details",
        show=False,
        tooltip="Where a figure stands, and its other years",
    ),
    Binding(
        "h,alt+h",
        "look('plan')",
        "Unfold",
        id="chat.plan",
        show=False,
        tooltip="Show or hide the rest of a long answer, the calculation and the steps",
    ),
    Binding(
        "u,alt+u",
        "look('reasons')",
        "Why ⚠",
        id="chat.reasons",
        show=False,
        tooltip="Why sentences of the last answer are marked ⚠",
    ),
    Binding(
        "f,alt+k",
        "look('file')",
        "Save to notebook",
        id="notebook.file",
        show=False,
        tooltip="Save the last answer to the notebook",
    ),
    Binding(
        "f7",
        "app.open('notebook')",
        "Notebook",
        id="notebook.open",
        show=False,
        tooltip="What was saved: arrange, note, export",
        priority=True,  # The prompt's own F7 selects all.
    ),
    Binding(
        "f6",
        "app.open('sheets')",
        "Sheets",
        id="sheets.show",
        show=False,
        tooltip="Sheets of figures and questions; audit a model of your own",
        priority=True,  # The prompt's own F6 selects the line.
    ),
    Binding("f2", "pane('filings')", "Filings", id="pane.filings", tooltip="Show or hide the filings"),
    Binding("f3", "pane('chat')", "Chat", id="pane.chat", show=False, tooltip="Go to the chat"),
    Binding("f4", "pane('sources')", "Sources", id="pane.sources", tooltip="Show or hide the sources"),
    Binding(
        "m,alt+m",
        "search('mode')",
        "Mode",
        id="search.mode",
        show=False,
        tooltip="Search by meaning and words, or by one of them",
    ),
    Binding("r,alt+r", "search('rerank')", "Rerank", id="search.rerank", show=False, tooltip="Rerank the passages, or not"),
    Binding(
        "w,alt+w",
        "search('model')",
        "Model",
        id="model.toggle",
        show=False,
        tooltip="Let the model write answers where it is needed, always, or never",
    ),
    Binding(
        "ctrl+r", "again", "Ask again", id="chat.again", show=False, tooltip="Ask the last question again, as things are set now"
    ),
    Binding(
        "q,alt+q",
        "change",
        "Change question",
        id="chat.change",
        show=False,
        tooltip="Change company, period or figure of the last question, and ask again",
    ),
    Binding(
        "x,alt+x",
        "clear_scope",
        "Clear scope",
        id="scope.clear",
        tooltip="Let questions look at everything again, and forget pinned and excluded passages",
    ),
    Binding(
        "f9",
        "new_conversation",
        "New conversation",
        id="chat.new",
        show=False,
        tooltip="Begin a new conversation; this one is saved",
    ),
    Binding("a,alt+a", "app.open('add')", "Add filings", id="library.add", show=False, tooltip="Add filings from disk"),
    Binding(
        "b,alt+g",
        "fetch_missing",
        "Fetch it",
        id="library.fetch-missing",
        tooltip="Fetch what the last question misses",
    ),
    Binding("b,alt+g", "app.open('fetch')", "Fetch", id="library.fetch", show=False, tooltip="Download filings from EDGAR"),
    Binding(
        "l,alt+l", "app.log", "Log", id="app.log", show=False, tooltip="Show what goes on in the background, and what failed"
    ),
    Binding(
        "v,alt+v", "app.open('check')", "Check text", id="app.check", show=False, tooltip="Check the figures of your own text"
    ),
    Binding("s,alt+s", "app.open('settings')", "Settings", id="app.settings", show=False, tooltip="Model, search, colours, keys"),
    Binding(
        "left_square_bracket,alt+left",
        "year(-1)",
        "Year before",
        id="scope.year-before",
        show=False,
        tooltip="Limit questions to the fiscal year before",
    ),
    Binding(
        "right_square_bracket,alt+right",
        "year(1)",
        "Year after",
        id="scope.year-after",
        show=False,
        tooltip="Limit questions to the fiscal year after",
    ),
    *_digits(),
]
