"""Follow-ups that act on the answer before, with and without a model that writes."""

from __future__ import annotations

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.compose import NOT_REWORDED
from fin_tui.engine.answering.events import EvidenceReady, Finished
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.instructions import Shapes
from fin_tui.records import Answer
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.answering.test_answer import QUESTION, TEXT, Library, Model, Searcher
from tests.unit.engine.made import hit

ENCODER = SharedEncoder()
MORE = f"{TEXT} They assemble it there for our hardware customers."


def follow_up(said: str, model: Model | None = None) -> tuple[Answer, tuple[str, ...]]:
    """The answer to ``said`` after ``QUESTION``, and the notes beside it."""
    searcher = Searcher((hit(MORE, of=Library().held[0]),))
    engine = AnswerEngine(Library(), searcher, model, Settings(), frames=FrameReader(ENCODER), shapes=Shapes(ENCODER))
    events = list(engine.stream(Request(said, history=(QUESTION,))))
    notes = next((event.notes for event in events if isinstance(event, EvidenceReady)), ())
    end = events[-1]
    assert isinstance(end, Finished)
    return end.answer, notes


def test_another_currency_is_refused_and_nothing_is_told_again() -> None:
    model = Model(["It costs 5 euros."])
    answer, _ = follow_up("and in euros?", model)
    assert (answer.status, answer.question) == ("refused", "and in euros?")
    assert "No exchange rates" in answer.answer
    assert not model.asked


def test_plainer_words_without_a_model_are_the_first_sentence_and_a_note() -> None:
    answer, notes = follow_up("explain that simpler")
    assert answer.answer == f"{TEXT} [1]"
    assert NOT_REWORDED in notes


def test_plainer_words_are_a_models_and_checked_like_all() -> None:
    model = Model(["Our outsourcing partners assemble hardware in Asia. "])
    answer, notes = follow_up("explain that simpler", model)
    assert (answer.answer, answer.model) == ("Our outsourcing partners assemble hardware in Asia. [1]", "scripted")
    assert "plain everyday words" in model.asked[0][-1].content
    assert NOT_REWORDED not in notes
    answer, _ = follow_up("explain that simpler", Model(["Wizards in Lapland build 12 castles a day. "]))
    assert (answer.answer, answer.model) == (f"{TEXT} [1]", "none")


def test_one_sentence_is_one_whatever_a_model_goes_on_to_say() -> None:
    model = Model(
        ["Partners assemble most of our hardware in Asia. ", "They assemble it there for our customers. ", "And so on."]
    )
    answer, _ = follow_up("in one sentence for my note", model)
    assert answer.answer == "Partners assemble most of our hardware in Asia. [1]"


def test_a_table_is_never_a_models() -> None:
    model = Model(["| a | b |"])
    follow_up("as a table", model)
    assert not model.asked
