"""Specs: named, validated term lists with their source, and their catalogue."""

from biaslab.specs.catalogue_files import catalog, delete, entries, get, save
from biaslab.specs.checks import SpecWarning
from biaslab.specs.parts import Distribution, OutsideColumn
from biaslab.specs.spec import Spec
from biaslab.specs.spec_files import Entry, read, write

__all__ = [
    "Distribution",
    "Entry",
    "OutsideColumn",
    "Spec",
    "SpecWarning",
    "catalog",
    "delete",
    "entries",
    "get",
    "read",
    "save",
    "write",
]
