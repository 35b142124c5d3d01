"""Weights and sample filings: what there is, whether it is here, and how to bring it."""

from fin_tui.assets.bring import bring
from fin_tui.assets.catalogue import Asset, AssetFile, Catalogue, HubModel, Ledger, load_catalogue

__all__ = ["Asset", "AssetFile", "Catalogue", "HubModel", "Ledger", "bring", "load_catalogue"]
