"""Libraries that take long to import, each imported when a test first uses it.

Every process that runs tests collects all of them: an import at the top of one test module costs
each process, whichever tests it goes on to run. Instead, a test module gets such a library here,
under its usual short name::

    from harness.heavy import pd, torch
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.deferred import Deferred

if TYPE_CHECKING:
    import arviz as az
    import distributed
    import gensim
    import ipywidgets
    import jsonschema
    import nbclient
    import nbconvert
    import nbformat
    import pandas as pd
    import panel as pn
    import pyro
    import torch
    import traitlets
    import transformers
    from scipy import integrate, optimize, stats
else:
    az = Deferred("arviz")
    distributed = Deferred("distributed")
    gensim = Deferred("gensim")
    integrate = Deferred("scipy.integrate")
    ipywidgets = Deferred("ipywidgets")
    jsonschema = Deferred("jsonschema")
    nbclient = Deferred("nbclient")
    nbconvert = Deferred("nbconvert")
    nbformat = Deferred("nbformat")
    optimize = Deferred("scipy.optimize")
    pd = Deferred("pandas")
    pn = Deferred("panel")
    pyro = Deferred("pyro")
    stats = Deferred("scipy.stats")
    torch = Deferred("torch")
    traitlets = Deferred("traitlets")
    transformers = Deferred("transformers")

__all__ = [
    "az", "distributed", "gensim", "integrate", "ipywidgets", "jsonschema", "nbclient", "nbconvert",
    "nbformat", "optimize", "pd", "pn", "pyro", "stats", "torch", "traitlets", "transformers",
]  # fmt: skip
