"""Full submissions: header, documents, Exhibit 13, and what is left of damaged ones."""

from __future__ import annotations

import datetime as dt

from fin_tui.filings.reader import read
from fin_tui.filings.submission import is_submission, main_part, read_header, split_submission

HEADER = """<SEC-DOCUMENT>0000123456-97-000007.txt : 19970331
<SEC-HEADER>0000123456-97-000007.hdr.sgml : 19970331
ACCESSION NUMBER:		0000123456-97-000007
CONFORMED SUBMISSION TYPE:	10-K405
PUBLIC DOCUMENT COUNT:		4
CONFORMED PERIOD OF REPORT:	19961231
FILED AS OF DATE:		19970328

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			HALCYON MILLS INC
		CENTRAL INDEX KEY:			0000123456
		IRS NUMBER:				560123456
		FISCAL YEAR END:			1231

	FILING VALUES:
		FORM TYPE:		10-K405
		SEC FILE NUMBER:	001-00777
</SEC-HEADER>
"""

COVER = """                       SECURITIES AND EXCHANGE COMMISSION
                             WASHINGTON, D.C. 20549
                                   FORM 10-K

                  ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)

                  For the fiscal year ended December 31, 1996

                         Commission file number 1-777

                             HALCYON MILLS, INC.
             (Exact name of registrant as specified in its charter)

                                     PART I

ITEM 1. BUSINESS

     Halcyon Mills, Inc. spins yarn in three mills, as it has done for ninety
years, and sells it to weavers in all states.
"""


def document(kind: str, body: str, *, sequence: int = 1, name: str = "main.txt") -> str:
    head = f"<TYPE>{kind}\n<SEQUENCE>{sequence}\n<FILENAME>{name}\n<DESCRIPTION>{kind}\n"
    return f"<DOCUMENT>\n{head}<TEXT>\n{body}\n</TEXT>\n</DOCUMENT>\n"


POINTER = "\nITEM 8. FINANCIAL STATEMENTS\n\n     Incorporated by reference to the Annual Report to Shareholders, Exhibit 13.\n"
REPORT = """<PAGE>
                        FINANCIAL REVIEW

     Sales rose to $41 million because weavers bought more yarn than ever before.

<TABLE>
<CAPTION>
(In millions)                    1996       1995
                                 ----       ----
<S>                              <C>        <C>
Net sales                        $41.0      $39.5
Net income                         2.1        1.9
</TABLE>
"""


def submission(*documents: str) -> bytes:
    return (HEADER + "".join(documents) + "</SEC-DOCUMENT>\n").encode()


def test_reads_the_header() -> None:
    found = read_header(HEADER)
    assert (found.accession, found.form, found.cik) == ("0000123456-97-000007", "10-K405", "0000123456")
    assert (found.period_end, found.filed) == (dt.date(1996, 12, 31), dt.date(1997, 3, 28))
    assert (found.irs_number, found.commission_file, found.company) == ("56-0123456", "001-00777", "HALCYON MILLS INC")


def test_the_cover_wins_over_the_header_field_by_field() -> None:
    made = read(submission(document("10-K405", COVER)), "x").cover
    assert (made.company, made.commission_file) == ("Halcyon Mills, Inc.", "1-777")
    assert (made.form, made.cik, made.accession) == ("10-K405", "0000123456", "0000123456-97-000007")
    assert made.irs_number == "56-0123456"


def test_exhibit_13_is_appended_when_the_10k_points_to_it() -> None:
    made = read(submission(document("10-K405", COVER + POINTER), document("EX-13.1", REPORT, sequence=2)), "x")
    assert "weavers bought more yarn" in made.text
    table = next(block for block in made.blocks if block.table)
    assert table.page == made.pages == 2
    assert table.table is not None
    for row in table.table.rows:
        for cell in row:
            assert made.text[cell.start : cell.end].startswith(cell.text)
    assert [block.ordinal for block in made.blocks] == list(range(len(made.blocks)))


def test_exhibit_13_stays_out_without_a_pointer() -> None:
    made = read(submission(document("10-K405", COVER), document("EX-13", REPORT, sequence=2)), "x")
    assert "weavers bought more yarn" not in made.text


def test_schedules_graphics_and_encoded_files_are_never_the_body() -> None:
    encoded = "begin 644 a.pdf\nM)5!$1BTQ+C0*\nend"
    made = read(
        submission(
            document("GRAPHIC", encoded),
            document("10-K405", "<PDF>\n" + encoded),
            document("EX-27", "<ARTICLE> 5\n<CASH> 12\n<NET-INCOME> 34", sequence=3),
            document("10-K405", COVER, sequence=4),
            document("EX-101.INS", "<XBRL><xbrl></xbrl></XBRL>", sequence=5),
        ),
        "x",
    )
    assert made.cover.company == "Halcyon Mills, Inc."
    assert "ARTICLE" not in made.text
    assert "begin 644" not in made.text


def test_a_file_name_from_outside_is_only_a_label() -> None:
    found = split_submission(submission(document("10-K", COVER, name="..\\..\\/etc/passwd")))
    assert found.parts[0].filename == "passwd"
    assert read(submission(document("10-K", COVER, name="/etc/passwd")), "x").cover.form == "10-K405"


def test_a_file_cut_anywhere_is_read_as_far_as_it_goes() -> None:
    whole = submission(document("10-K405", COVER + POINTER), document("EX-13", REPORT, sequence=2))
    for share in (0.55, 0.7, 0.9):
        made = read(whole[: int(len(whole) * share)], "x")
        assert made.cover.accession == "0000123456-97-000007"
        assert made.text


def test_a_mail_wrapper_and_dash_escapes_are_taken_off() -> None:
    body = COVER.replace("PART I", "PART I\n\n- ----------\n")
    wrapped = b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n\n" + submission(document("10-K", body))
    made = read(wrapped + b"-----END PRIVACY-ENHANCED MESSAGE-----\n", "x")
    assert "PRIVACY" not in made.text
    assert "----" not in made.text


def test_documents_without_tags_begin_with_type_and_number() -> None:
    bare = HEADER.replace("<SEC-DOCUMENT>", "").replace("<SEC-HEADER>", "").replace("</SEC-HEADER>", "")
    raw = f"{bare}10-K405\n1\n{COVER}\nEX-27\n2\nART. 5 FDS\n1,000\n".replace("\n", "\r\n").encode()
    assert is_submission(raw)
    main = main_part(split_submission(raw).parts)
    assert main is not None
    assert main.type == "10-K405"
    made = read(raw, "x")
    assert "ART. 5 FDS" not in made.text
    assert made.cover.form == "10-K405"


def test_markup_that_only_mentions_a_submission_is_not_one() -> None:
    assert not is_submission(b"<html><body>ACCESSION NUMBER:\t0000123456-97-000007</body></html>")
    assert not is_submission(b"The <SEC-HEADER> tag is described here.")
