"""Any filing's bytes -> a ``Document``: clean text, blocks, tables, Items, tagged facts, chunks.

``reader.py`` is where to start. It chooses among ``html.py``, ``text.py`` and ``pdf.py``; ``sections.py`` and ``chunk.py`` see
the ``Document`` alone.
"""
