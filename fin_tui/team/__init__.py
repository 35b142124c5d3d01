"""A team's corpus: the same filings, passages and facts in a Milvus server instead of a library file.

``opening`` is the way in; nothing here is imported before an address is given, and pymilvus not before the first connection.
"""
