from __future__ import annotations

import io

from fin_tui.cli.transcript import Transcript
from fin_tui.engine.answering.events import READING, Event, EvidenceReady, Finished, SentenceDone, Status, Token
from fin_tui.engine.answering.wording import SentenceStream
from fin_tui.records import Answer, Sentence
from tests.unit.engine.figures.book import ask


def printed(pieces: list[str]) -> str:
    """What stands on the screen after a model streamed ``pieces``, every sentence citing [1]."""
    out = io.StringIO()
    transcript = Transcript(out)
    stream = SentenceStream()
    for piece in pieces:
        transcript.show(Token(piece))
        for index, text in enumerate(stream.feed(piece)):
            transcript.show(SentenceDone(Sentence(text, (1,), "grounded"), index))
    for index, text in enumerate(stream.finish()):
        transcript.show(SentenceDone(Sentence(text, (1,), "grounded"), index))
    transcript.show(Finished(Answer("q", "answered", "a")))
    return out.getvalue().partition("Answer\n")[2].partition("\n")[0]


TEXT = "Sales of U.S. units rose by 2.5% in the year. Costs fell. Margins held up well."


def test_markers_stand_behind_their_sentence_however_the_text_arrives() -> None:
    wanted = "Sales of U.S. units rose by 2.5% in the year. [1] Costs fell. [1] Margins held up well. [1] "
    for size in (1, 3, 7, 20, 100):
        pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
        assert printed(pieces).split() == wanted.split()


def test_a_second_card_says_that_it_takes_the_place_of_the_first() -> None:
    out = io.StringIO()
    transcript = Transcript(out)
    for text in ("No exact figure.", "It was 25%."):
        transcript.show(EvidenceReady(text, (Sentence(text, (), "grounded"),), ()))
    assert [line for line in out.getvalue().splitlines() if line.startswith("Answer")] == [
        "Answer",
        "Answer, after a second look",
    ]


def _cards(*events: Event) -> list[str]:
    out = io.StringIO()
    transcript = Transcript(out)
    for event in events:
        transcript.show(event)
    return [line.strip() for line in out.getvalue().splitlines() if line.strip() and line.strip() != "Sources"]


def test_a_card_that_may_change_is_printed_once_it_has_been_read_again() -> None:
    first = EvidenceReady("", (Sentence("It was 12%.", (), "grounded"),), (), may_change=True)
    other = EvidenceReady("", (Sentence("It was 25%.", (), "grounded"),), ())
    end = Finished(Answer("q", "answered", "a"))
    assert not _cards(first, Status(READING))
    assert _cards(first, Status(READING), other, end)[:2] == ["Answer", "It was 25%."]
    assert _cards(first, Status(READING), end)[:2] == ["Answer", "It was 12%."]
    assert _cards(first, Status(READING), Status("loading"))[:2] == ["Answer", "It was 12%."]
    assert _cards(first, end)[:2] == ["Answer", "It was 12%."]


def test_the_grid_stands_under_the_result_and_words_below_both() -> None:
    answer = ask("What was Acme's revenue in 2023 and 2024?")
    words = Sentence("We sold more rockets.", (1,), "grounded", opens="paragraph")
    out = io.StringIO()
    Transcript(out).show(EvidenceReady("", (*answer.sentences, words), answer.passages, figures=answer))
    lines = [line.strip() for line in out.getvalue().splitlines()]
    first = lines.index("Acme's revenue: FY2023 $100 million; FY2024 $120 million. [1]")
    grid = next(at for at, line in enumerate(lines) if line.startswith("period end"))
    assert first < grid < lines.index("We sold more rockets. [1]") < lines.index("Sources")
