"""Stored runs, files, values, sentences and images, in a folder or in a database on a server."""

from biaslab.store.files import StoredFile
from biaslab.store.images import KeptImage
from biaslab.store.sentences import KeptSentence
from biaslab.store.store import Store
from biaslab.store.stored_run import StoredRun

__all__ = ["KeptImage", "KeptSentence", "Store", "StoredFile", "StoredRun"]
