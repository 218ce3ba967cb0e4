"""Specs: named, validated term lists with their source, and the catalogue of predefined ones."""

from biaslab.specs.catalogue_files import catalog, get
from biaslab.specs.spec import Spec

__all__ = ["Spec", "catalog", "get"]
