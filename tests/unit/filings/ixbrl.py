"""A small inline XBRL page, written for the tests: contexts, units and room for a body."""

from __future__ import annotations

HEADER = """
<div style="display:none"><ix:header><ix:hidden>
<ix:nonNumeric name="dei:AmendmentFlag" contextRef="fy">false</ix:nonNumeric>
<ix:nonNumeric name="dei:DocumentFiscalYearFocus" contextRef="fy">2024</ix:nonNumeric>
<ix:nonNumeric name="dei:EntityCentralIndexKey" contextRef="fy">0000012345</ix:nonNumeric>
</ix:hidden><ix:references/><ix:resources>
<xbrli:context id="fy"><xbrli:entity><xbrli:identifier scheme="s">0000012345</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:startDate>2023-10-01</xbrli:startDate><xbrli:endDate>2024-09-28</xbrli:endDate></xbrli:period></xbrli:context>
<xbrli:context id="end"><xbrli:entity><xbrli:identifier scheme="s">0000012345</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:context id="common"><xbrli:entity><xbrli:identifier scheme="s">0000012345</xbrli:identifier><xbrli:segment>
<xbrldi:explicitMember dimension="us-gaap:StatementClassOfStockAxis">us-gaap:CommonStockMember</xbrldi:explicitMember>
<xbrldi:typedMember dimension="x:LineAxis"><x:line>7</x:line></xbrldi:typedMember></xbrli:segment></xbrli:entity>
<xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>
<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>
<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit>
</ix:resources></ix:header></div>
"""


def page(body: str) -> bytes:
    """A whole inline XBRL file around ``body``."""
    head = (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><head><title>t</title></head>'
    )
    return f"{head}<body>{HEADER}{body}</body></html>".encode()


def number(text: str, name: str = "us-gaap:Revenues", **attributes: str) -> str:
    """A tagged figure in millions of dollars unless ``attributes`` say otherwise (``contextRef``, ``scale``, ``sign``, …)."""
    values = {"contextRef": "fy", "unitRef": "usd", "scale": "6", "decimals": "-6", "format": "ixt:num-dot-decimal"} | attributes
    written = " ".join(f'{key}="{value}"' for key, value in values.items())
    return f'<ix:nonFraction name="{name}" {written}>{text}</ix:nonFraction>'
