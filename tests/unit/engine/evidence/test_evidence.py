from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fin_tui.engine.evidence import scale_of
from fin_tui.engine.evidence.evidence import REREAD, Bearing, Evidence, Judge, _as_company, _short, gather, judged, reread
from fin_tui.engine.evidence.extract import _Telling, _told_apart, extract, single_sentences
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece, near_lines
from fin_tui.records import Hit
from tests.unit.engine.made import filing, hit

PROSE = "We design phones. Our outsourcing partners assemble most of our hardware in Asia. The weather was mild."
TABLE = "Net sales\t391,035\t383,285\nResearch and development\t31,370\t29,915"


def test_a_passage_quotes_its_best_sentence() -> None:
    evidence = gather("Where do outsourcing partners assemble hardware?", [hit(PROSE, start=500)])
    citation = evidence.passages[0].citation
    assert citation.quote == "Our outsourcing partners assemble most of our hardware in Asia."
    assert (citation.start, citation.end) == (500 + PROSE.index("Our"), 500 + PROSE.index("Asia.") + 5)
    assert citation.prefix.endswith("phones. ")
    assert citation.reference == "Acme Corp. 10-K FY2024 (2024-12-31), Item 1A, p. 2 (physical page 3)"


def test_a_table_is_quoted_by_the_row_that_answers() -> None:
    evidence = gather("How much was research and development?", [hit(TABLE, table=True)])
    assert evidence.passages[0].citation.quote == "Research and development\t31,370\t29,915"


def test_coverage_tells_an_answer_from_a_topic() -> None:
    held = gather("outsourcing partners assemble hardware", [hit(PROSE)]).coverage
    absent = gather("coffee machines at the headquarters", [hit(PROSE)]).coverage
    assert held > 0.9
    assert absent == 0.0


def test_scale_captions() -> None:
    assert scale_of("Balance sheets (In millions, except par value)") == 1_000_000
    assert scale_of("(Dollars in thousands)") == 1_000
    assert scale_of("Risk Factors") == 1


TEXT = "Acme competes everywhere.\nLarger rivals include Globex and Umbrella. They are strong.\nThe weather was mild this year."
LIST = "The main factors are as follows:\n• price\n• quality of tin\nWe like both of them very much."


def reader(answering: str) -> Judge:
    def judge(question: str, texts: Sequence[str]) -> Sequence[float | None]:
        return [6.0 if answering in text else -6.0 for text in texts]

    return judge


def evidence_of(question: str, hits: Sequence[Hit], judge: Judge | None = None) -> Evidence:
    return judged(question, question, gather(question, hits), near_lines(hits), judge)


def told(evidence: Evidence, *, each: bool = False, deciding: bool = False) -> list[str]:
    first = single_sentences(evidence, 1)[0] if deciding else None
    return [sentence.text for sentence in extract(evidence, each=each, first=first)[0]]


def test_the_paragraph_that_answers_goes_before_the_one_that_shares_words() -> None:
    question = "Whom does it compete with everywhere?"
    assert told(evidence_of(question, [hit(TEXT)]))[0] == "Acme competes everywhere."
    read = evidence_of(question, [hit(TEXT)], reader("rivals include"))
    assert told(read) == ["Larger rivals include Globex and Umbrella.", "They are strong."]
    assert read.sure == 6.0
    _, quoted = extract(read)
    assert quoted.passages[0].citation.quote == "Larger rivals include Globex and Umbrella. They are strong."
    assert read.focuses[0].text in ("Larger rivals include Globex and Umbrella.", "They are strong.")


def test_what_is_read_once_more_with_the_conversation_leads_where_that_is_surer() -> None:
    evidence = evidence_of("Whom does it compete with everywhere?", [hit(TEXT)], reader("competes everywhere"))
    seen: list[tuple[str, Sequence[str]]] = []

    def reads(conversation: str, texts: Sequence[str]) -> list[float]:
        seen.append((conversation, texts))
        return [4.0 if "rivals" in text else -4.0 for text in texts]

    again = reread("rivals? ; question: who?", evidence, reads)
    assert told(evidence)[0] == "Acme competes everywhere."
    assert told(again)[0] == "Larger rivals include Globex and Umbrella."
    assert again.focuses[0].text in ("Larger rivals include Globex and Umbrella.", "They are strong.")
    assert again.reread[0] == 4.0
    assert seen[0][0] == "rivals? ; question: who?"
    assert seen[0][1][0].startswith("FY2024 ")
    none = reread("who?", evidence, lambda _, texts: [-5.0] * len(texts))
    assert [one.near for one in none.paragraphs] == [one.near for one in evidence.paragraphs]
    assert max(none.reread) == -5.0


def test_an_older_filing_leads_only_where_it_is_far_surer() -> None:
    old, new = filing("Acme Corp.", 2021), filing("Acme Corp.", 2024)
    hits = [
        hit("Ovens are sold in Asia and Europe by our partners.", of=new),
        hit("Ovens are sold in Asia alone.", of=old, rank=2),
    ]
    question, older = "Where are ovens sold?", {old.id}
    evidence = judged(question, question, gather(question, hits), near_lines(hits), reader("sold"), older)
    for ahead, leads in ((1.0, new), (4.0, old)):
        logits = {"FY2021": ahead, "FY2024": 0.0}
        again = reread(question, evidence, lambda _, texts, by=logits: [by[text[:6]] for text in texts], older)  # type: ignore[misc]
        assert again.paragraphs[0].near.filing == leads


def test_only_the_best_paragraphs_are_read_once_more() -> None:
    text = "\n".join(f"Rival number {at} sells tin and competes with us in many of our markets." for at in range(REREAD + 3))
    evidence = evidence_of("Which rival competes?", [hit(text)], reader("Rival"))
    again = reread("which?", evidence, lambda _, texts: [float(at) for at, _ in enumerate(texts)])
    before, after = ([one.near for one in of.paragraphs] for of in (evidence, again))
    assert len(before) > REREAD
    assert after[REREAD:] == before[REREAD:]
    assert after[0] == before[REREAD - 1]
    scores = [one.score for one in again.paragraphs]
    assert scores == sorted(scores, reverse=True), "what was not read once more stands before nothing that was"
    assert again.reread[0] == REREAD - 1
    assert not reread("which?", replace(evidence, paragraphs=()), lambda *_: []).reread


def test_words_of_one_company_say_whose_they_are_where_several_were_found() -> None:
    others = hit("Turbines of every size are made for the power stations of the coast.", of=filing("Globex Inc."), rank=2)
    hits = [hit("Larger rivals include Umbrella and Hooli in most of our markets."), others]
    evidence = evidence_of("Which rivals are larger?", hits, reader("rivals"))
    assert told(evidence)[0] == "Acme, FY2024: Larger rivals include Umbrella and Hooli in most of our markets."
    alone = evidence_of("Which rivals are larger?", hits[:1], reader("rivals"))
    assert told(alone)[0] == "Larger rivals include Umbrella and Hooli in most of our markets."


def test_what_is_read_does_not_name_the_company() -> None:
    seen: list[str] = []

    def judge(question: str, texts: Sequence[str]) -> Sequence[float | None]:
        seen.extend(texts)
        return [0.0] * len(texts)

    hits = [hit("Our markets\nAcme Corp. competes in Ohio. We do not compete elsewhere.")]
    evidence_of("Where does it compete?", hits, judge)
    assert seen == ["Our markets: the Company competes in Ohio. We do not compete elsewhere."]


@pytest.mark.parametrize(
    ("company", "text", "read"),
    [
        ("The Acme Company", "At the Acme Company, Inc., we say so.", "At the Company, we say so."),
        ("Yahoo! Inc.", "Search on Yahoo! websites.", "Search on the Company websites."),
        ("Acme Corp", "Acmeville, or breathe Acme Corporate air.", "Acmeville, or breathe the Company Corporate air."),
    ],
)
def test_a_company_is_read_as_such_with_its_legal_forms(company: str, text: str, read: str) -> None:
    assert _as_company(text, _short(company)) == read


def test_with_too_little_read_words_decide() -> None:
    def hurried(question: str, texts: Sequence[str]) -> Sequence[float | None]:
        return [1.0, *[None] * (len(texts) - 1)]

    read = evidence_of("Whom does it compete with?", [hit(TEXT)], hurried)
    assert read.sure is None
    assert told(read)[0] == "Acme competes everywhere."


def test_a_sentence_that_announces_a_list_goes_on_with_it() -> None:
    evidence = evidence_of("What are the main factors?", [hit(LIST)])
    sentences, _ = extract(evidence)
    assert [sentence.text for sentence in sentences[:3]] == ["The main factors are as follows:", "• price", "• quality of tin"]
    assert [sentence.opens for sentence in sentences[:3]] == ["paragraph", "line", "line"]


def test_each_of_several_filings_says_something() -> None:
    mine, theirs = hit("We pay dividends to all."), hit("Rarely are dividends paid.", of=filing("Globex Inc."), rank=2)
    evidence = evidence_of("pay dividends to all", [mine, theirs], reader("dividends to all"))
    assert [sentence.citations for sentence in extract(evidence)[0]] == [(1,)]
    assert [sentence.citations for sentence in extract(evidence, each=True)[0]] == [(1,), (2,)]


def test_words_of_several_filings_say_whose_they_are() -> None:
    mine, theirs = (
        hit("We pay dividends to all."),
        hit("Dividends are paid to all by us, rarely.", of=filing("Globex Inc."), rank=2),
    )
    old = hit("We paid dividends to all but widows.", of=filing("Acme Corp.", 2019), rank=2)
    question = "pay dividends to all"
    of_two = told(evidence_of(question, [mine, theirs], reader("to all")))
    assert of_two == ["Acme, FY2024: We pay dividends to all.", "Globex, FY2024: Dividends are paid to all by us, rarely."]
    of_years = told(evidence_of(question, [mine, old], reader("to all")))
    assert of_years == ["FY2024: We pay dividends to all.", "FY2019: We paid dividends to all but widows."]
    assert told(evidence_of(question, [mine], reader("to all"))) == ["We pay dividends to all."]


def test_an_item_of_several_filings_keeps_its_mark() -> None:
    mine = hit("• loss of staff\n• price of tin")
    theirs = hit("We lose staff and tin.", of=filing("Globex Inc."), rank=2)
    said = told(evidence_of("loss of staff, price of tin", [mine, theirs], reader("")))
    assert said[0] == "• Acme, FY2024: loss of staff"
    assert said[-1] == "Globex, FY2024: We lose staff and tin."


def test_what_was_said_already_does_not_open_a_paragraph_for_what_goes_on() -> None:
    mine, theirs = hit("We sell ovens. They are hot."), hit("We sell boats.", of=filing("Globex Inc."), rank=2)
    first = Near(Paragraph((Piece("We sell ovens.", 0, 14),), whole=0), mine.filing, 0, (mine.chunk,))
    goes_on = replace(first, paragraph=Paragraph((Piece("They are hot.", 15, 28),), whole=0, part=1))
    other = Near(Paragraph((Piece("We sell boats.", 0, 14),), whole=0), theirs.filing, 1, (theirs.chunk,))
    both = [mine.filing, theirs.filing]
    telling = _Telling(gather("ovens", [mine, theirs]).passages, _told_apart(both, both))
    for near in (first, other, first, goes_on):
        telling.tell(Bearing(near, 1.0, {}))
    assert [(one.text, one.opens) for one in telling.told] == [
        ("Acme, FY2024: We sell ovens.", "paragraph"),
        ("Globex, FY2024: We sell boats.", "paragraph"),
        ("Acme, FY2024: They are hot.", "paragraph"),
    ]


def test_a_filing_without_a_fiscal_year_is_called_by_the_year_that_it_ends_in() -> None:
    dated = filing("Acme Corp.", 2019)
    new, old = (
        hit("We pay dividends to all."),
        hit("We paid dividends to all but widows.", of=replace(dated, fiscal_year=None), rank=2),
    )
    assert told(evidence_of("pay dividends to all", [new, old], reader("to all")))[1].startswith("FY2019: ")


def test_a_yes_or_no_begins_with_the_sentence_that_decides() -> None:
    text = "Plans differ by country. The plan in Ohio was overfunded in 2024. Assets are shown at fair value."
    evidence = evidence_of("Was the plan in Ohio overfunded?", [hit(text)])
    assert told(evidence, deciding=True)[0] == "The plan in Ohio was overfunded in 2024."
    assert len(told(evidence, deciding=True)) == 3
    assert told(evidence)[0] == "Plans differ by country."


def test_what_repeats_is_said_once() -> None:
    assert told(evidence_of("larger rivals", [hit(TEXT), hit(TEXT, rank=2)])).count("They are strong.") == 1


def test_an_answer_of_prose_is_bounded() -> None:
    words = "Rivals of the company number {n} make tin and sell tin in many places where others of the kind sell other metals. "
    lines = "\n".join(words.format(n=n) * 3 + f"Matter {n} of rivals." for n in range(12))
    said = told(evidence_of("Which rivals sell tin?", [hit(lines)], reader("Rivals")))
    assert 60 < sum(len(sentence.split()) for sentence in said) <= 240


def test_of_a_table_the_rows_asked_for_are_told() -> None:
    table = hit("Net sales\t391,035\t383,285\nResearch and development\t31,370\t29,915", table=True)
    sentences, _ = extract(evidence_of("How much was research and development?", [table]))
    assert [sentence.text for sentence in sentences] == ["• Research and development: 31,370; 29,915"]
    assert sentences[0].citations == (1,)


def test_the_newest_filing_leads_unless_an_older_one_is_far_likelier_to_answer() -> None:
    question = "Who leads the company?"
    new = hit("Jane Doe leads the company.", of=filing("Acme Corp.", 2024))
    old = hit("Juan Cruz leads the company.", of=filing("Acme Corp.", 2019))
    near, older = near_lines([new, old]), {old.filing.id}

    def first(ahead: float, older: set[str]) -> str:
        def judge(question: str, texts: Sequence[str]) -> Sequence[float | None]:
            return [2.0 + ahead if "Cruz" in text else 2.0 for text in texts]

        evidence = judged(question, question, gather(question, [new, old]), near, judge, older)
        return evidence.paragraphs[0].near.filing.id

    assert first(1.0, set()) == old.filing.id
    assert first(1.0, older) == new.filing.id
    assert first(6.0, older) == old.filing.id
