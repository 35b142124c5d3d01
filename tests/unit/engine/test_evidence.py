from __future__ import annotations

from fin_tui.engine.evidence import gather, scale_of, trim
from fin_tui.engine.extract import extract
from fin_tui.engine.prompt import build_prompt
from tests.unit.engine.made import hit

PROSE = "We design phones. Our outsourcing partners assemble most of our hardware in Asia. The weather was mild."
TABLE = "Net sales\t391,035\t383,285\nResearch and development\t31,370\t29,915"


def words(text: str) -> int:
    return len(text.split())


def test_a_passage_quotes_its_best_sentence() -> None:
    evidence = gather("Where do outsourcing partners assemble hardware?", [hit(PROSE, start=500)])
    citation = evidence.passages[0].citation
    assert citation.quote == "Our outsourcing partners assemble most of our hardware in Asia."
    assert (citation.start, citation.end) == (500 + PROSE.index("Our"), 500 + PROSE.index("Asia.") + 5)
    assert citation.prefix.endswith("phones. ")
    assert citation.reference == "Acme Corp. 10-K FY2024 (2024-12-31), Item 1A, p. 2"


def test_a_table_is_quoted_by_the_row_that_answers() -> None:
    evidence = gather("How much was research and development?", [hit(TABLE, table=True)])
    assert evidence.passages[0].citation.quote == "Research and development\t31,370\t29,915"
    (sentence, *_) = extract(evidence)
    assert sentence.text == "Research and development: 31,370; 29,915"
    assert sentence.citations == (1,)


def test_twins_are_said_once_with_both_citations() -> None:
    evidence = gather("outsourcing partners assemble hardware", [hit(PROSE), hit(PROSE, rank=2)])
    sentences = extract(evidence)
    assert [sentence.citations for sentence in sentences] == [(1, 2)]


def test_coverage_tells_an_answer_from_a_topic() -> None:
    held = gather("outsourcing partners assemble hardware", [hit(PROSE)]).coverage
    absent = gather("coffee machines at the headquarters", [hit(PROSE)]).coverage
    assert held > 0.9
    assert absent == 0.0


def test_scale_captions() -> None:
    assert scale_of("Balance sheets (In millions, except par value)") == 1_000_000
    assert scale_of("(Dollars in thousands)") == 1_000
    assert scale_of("Risk Factors") == 1


def test_trim_keeps_whole_sentences_around_the_quote() -> None:
    evidence = gather("outsourcing partners", [hit(PROSE), hit(TABLE, rank=2, table=True)])
    kept = trim(evidence.passages, 12, words)
    assert kept == ((1, "Our outsourcing partners assemble most of our hardware in Asia."),)


def test_the_prompt_fits_the_window_and_puts_the_question_last() -> None:
    evidence = gather("outsourcing partners", [hit(PROSE * 20, rank=n) for n in range(1, 9)])
    prompt = build_prompt(
        "What about outsourcing partners?", evidence.passages, count=words, context=400, evidence_tokens=600, answer_tokens=100
    )
    assert sum(words(message.content) for message in prompt.messages) <= 300
    assert prompt.messages[-1].content.endswith("Question: What about outsourcing partners?")
    assert [message.role for message in prompt.messages] == ["system", "user"]


def test_an_endless_question_is_cut_to_fit() -> None:
    prompt = build_prompt("why " * 5000, (), count=words, context=400, evidence_tokens=600, answer_tokens=100)
    assert sum(words(message.content) for message in prompt.messages) <= 300


def test_looked_up_figures_stand_before_the_question() -> None:
    prompt = build_prompt(
        "What were net sales?", (), figures=["Net sales: $391,035 million."], count=words, context=400, evidence_tokens=600,
        answer_tokens=100,
    )  # fmt: skip
    assert prompt.messages[-1].content.endswith("Net sales: $391,035 million.\n\nQuestion: What were net sales?")
