"""Stored runs, files, values, sentences and images, in a folder or in a database on a server."""

from biaslab.store.parts import KeptImage, KeptSentence, StoredFile
from biaslab.store.run_fields import StoredRun
from biaslab.store.store import Store

__all__ = ["KeptImage", "KeptSentence", "Store", "StoredFile", "StoredRun"]
