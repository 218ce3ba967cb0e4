"""Configuration of the documentation site: ``make docs`` builds it in build/docs, offline."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

import biaslab_widgets

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
# Importing a documented module must not look for a model on the hub.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

project = "biaslab"
author = "biaslab maintainers"
project_copyright = "biaslab maintainers"
version = release = installed_version("biaslab")

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "public_api",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
# JSX is more than the lexer of TypeScript knows; such a block is then shown in one colour.
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = ["_*"]
templates_path = ["_templates"]
# A page is written for GitHub too, where quotes and dashes stay as typed.
smartquotes = False

myst_heading_anchors = 4
myst_fence_as_directive = ["toctree"]

public_api_modules = {
    "biaslab": "the common probes",
    "biaslab.subjects": "models that are probed, and how they are opened",
    "biaslab.specs": "word lists",
    "biaslab.frames": "frames in other languages",
    "biaslab.images": "images under terms",
    "biaslab.portraits": "drawn portraits",
    "biaslab.services": "what can only be called",
    "biaslab.observers": "simulated subjects whose truth is known",
    "biaslab.probes.psychometrics": "the two-alternative task in detail",
    "biaslab.probes.trace": "passages that make a bias",
    "biaslab.probes.occupations": "many words beside outside numbers",
    "biaslab.probes.association": "WEAT, MAC, distance models",
    "biaslab.probes.posterior": "classifiers turned around",
    "biaslab.probes.sentences": "pairs of sentences, scorers",
    "biaslab.probes.images": "association of images and words",
    "biaslab.probes.rating": "rating of services",
    "biaslab.probes.similarity": "agreement with judged word similarity",
    "biaslab_widgets": "benches for notebooks",
}
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections have the types
autodoc_inherit_docstrings = True
numpydoc_class_members_toctree = False
# What str and ipywidgets bring is documented there.
numpydoc_show_inherited_class_members = {
    "biaslab.probes.rating.Rating": False,
    **{f"biaslab_widgets.{name}": False for name in biaslab_widgets.__all__},
}
numpydoc_xref_param_type = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "biaslab"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
