"""The Items of a 10-K: their order, Parts, and the words of their titles through the years."""

from __future__ import annotations

import re
from typing import NamedTuple


class Item(NamedTuple):
    """One Item: ``title`` is today's wording, ``pattern`` what its heading has begun with since the 1990s (plain form)."""

    number: str
    part: str
    title: str
    pattern: re.Pattern[str]


def _item(number: str, part: str, title: str, pattern: str) -> Item:
    return Item(number, part, title, re.compile(pattern))


ITEMS: tuple[Item, ...] = (
    _item("1", "I", "Business", r"(?:description of |the |our |narrative description of )?business\b|general\b"),
    _item("1A", "I", "Risk Factors", r"(?:summary of )?risk factors|cautionary (?:factors|statements?)"),
    _item("1B", "I", "Unresolved Staff Comments", r"unresolved (?:sec )?staff comments"),
    _item("1C", "I", "Cybersecurity", r"cyber ?security"),
    _item("2", "I", "Properties", r"(?:description of |our )?propert(?:y|ies)\b"),
    _item("3", "I", "Legal Proceedings", r"(?:pending )?legal (?:proceedings|matters)"),
    _item(
        "4", "I", "Mine Safety Disclosures", r"mine safety|submission of matters|\(?removed|\(?reserved|no matters|none submitted"
    ),
    _item("4A", "I", "Executive Officers", r"(?:information about (?:our )?)?executive officers"),
    _item("5", "II", "Market for Registrant's Common Equity", r"markets? (?:for|price|information)|price range of"),
    _item(
        "6",
        "II",
        "Selected Financial Data",
        r"(?:consolidated )?selected\b|\(?removed|\(?reserved|summary (?:of )?(?:selected )?financial",
    ),
    _item(
        "7",
        "II",
        "Management's Discussion and Analysis of Financial Condition and Results of Operations",
        r"(?:our )?management ?s discussion|managements? narrative|financial review|discussion and analysis|md&a",
    ),
    _item(
        "7A",
        "II",
        "Quantitative and Qualitative Disclosures About Market Risk",
        r"(?:quantitative|qualitative) (?:and|&) (?:qualitative|quantitative)|(?:disclosures? (?:about|of) )?market risk",
    ),
    _item(
        "8",
        "II",
        "Financial Statements and Supplementary Data",
        r"(?:consolidated |index to (?:consolidated )?)?financial statements?\b",
    ),
    _item(
        "9",
        "II",
        "Changes in and Disagreements with Accountants",
        r"changes? in (?:and|&|or) disagreements?|disagreements?|changes? in (?:registrant ?s|accountant)",
    ),
    _item(
        "9A", "II", "Controls and Procedures", r"(?:disclosure )?controls? (?:and|&) procedures?|managements? report on internal"
    ),
    _item("9B", "II", "Other Information", r"other information"),
    _item("9C", "II", "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections", r"disclosures? regarding foreign"),
    _item(
        "10",
        "III",
        "Directors, Executive Officers and Corporate Governance",
        r"(?:our )?directors?\b|(?:executive officers|management) (?:and|of)",
    ),
    _item(
        "11",
        "III",
        "Executive Compensation",
        r"(?:executive|management|director and executive) (?:officer )?(?:compensation|remuneration)|compensation\b",
    ),
    _item(
        "12",
        "III",
        "Security Ownership of Certain Beneficial Owners and Management",
        r"(?:security|share|stock|beneficial) ownership|ownership of",
    ),
    _item(
        "13",
        "III",
        "Certain Relationships and Related Transactions",
        r"certain (?:relationships?|transactions?|business relationships)|related (?:party|person)|transactions with",
    ),
    _item(
        "14",
        "III",
        "Principal Accountant Fees and Services",
        r"princip(?:al|le) account|exhibits?\b|controls? and|independent (?:registered )?(?:public )?account|audit fees|auditor",
    ),
    _item(
        "15",
        "IV",
        "Exhibits and Financial Statement Schedules",
        r"exhibits?\b|financial statements?\b|princip(?:al|le) account|index to exhibits",
    ),
    _item("16", "IV", "Form 10-K Summary", r"(?:form )?10-?k summary|summary\b"),
)
BY_NUMBER = {item.number: item for item in ITEMS}
ORDER = {item.number: place for place, item in enumerate(ITEMS)}

# Whole headings that stand for an Item where the filing does not number it. Words that head other parts as well ("General",
# "Compensation") are left out.
NAMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (number, re.compile(pattern))
    for number, pattern in (
        ("1", r"(?:description of )?business"),
        ("1A", r"risk factors"),
        ("1B", r"unresolved staff comments"),
        ("1C", r"cyber ?security"),
        ("2", r"(?:description of )?propert(?:y|ies)"),
        ("3", r"legal proceedings"),
        ("4", r"mine safety disclosures?|submission of matters to a vote of security holders"),
        ("5", r"market for (?:the )?(?:registrant|company|our|\w+ ?s).{0,20}common.{0,140}"),
        (
            "6",
            r"(?:five[ -]year |consolidated )?selected (?:consolidated |historical )?financial (?:data|information)(?: and .*)?",
        ),
        ("7", r"management(?: ?s)? discussion(?: (?:and|&) analysis)?(?: of .{0,110})?|financial review"),
        ("7A", r"quantitative and qualitative disclosures? (?:about|of|regarding) market risks?"),
        ("8", r"(?:consolidated )?financial statements and (?:supplement\w+|financial) (?:data|information|schedules?)"),
        ("9", r"changes in and disagreements with .{0,90}"),
        ("9A", r"controls and procedures"),
        ("9C", r"disclosure regarding foreign jurisdictions.{0,60}"),
        ("10", r"directors,? (?:and )?executive officers.{0,60}"),
        ("11", r"executive compensation"),
        ("12", r"security ownership of certain.{0,110}"),
        ("13", r"certain relationships and related.{0,80}"),
        ("14", r"principal account(?:ant|ing) fees and services"),
        ("15", r"exhibits(?:,| and)(?: financial statement schedules?)?.{0,60}"),
        ("16", r"form 10-?k summary"),
    )
)
_APOSTROPHE = re.compile(r"\s?['’‘`´]\s?")
_BLANKS = re.compile(r"\s+")
_SPACED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z&]\s){3,}[A-Za-z](?![A-Za-z])")


def unspaced(text: str) -> str:
    """Letter-spaced words ("B U S I N E S S") closed up; wider gaps between them are kept as word gaps."""
    return _SPACED.sub(lambda match: match.group().replace(" ", ""), text)


def plain(text: str) -> str:
    """``text`` for comparing titles: lower case, one blank, apostrophes as a blank before s, no marks around."""
    lowered = _APOSTROPHE.sub(" ", unspaced(text)).lower()
    return _BLANKS.sub(" ", lowered).strip(" .:;-–—*_[]()")


def title_fits(number: str, title: str) -> bool:
    """Whether ``title`` begins as a heading of that Item does."""
    item = BY_NUMBER.get(number)
    return item is not None and item.pattern.match(plain(title)) is not None


def named_item(text: str) -> str:
    """The Item whose title the whole of ``text`` is; empty when it is none."""
    words = plain(text)
    if not words or len(words) > 170:
        return ""
    return next((number for number, pattern in NAMES if pattern.fullmatch(words)), "")
