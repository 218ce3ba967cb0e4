"""Frames in other languages than English, with agreement in gender and number."""

from biaslab.frames.frame_set import CUES, DESIGNS, NUMBERS, FrameSet, Sentence
from biaslab.frames.language import ItemForms, Language
from biaslab.frames.language_files import catalog, file_text, get, names, parse, read

__all__ = [
    "CUES",
    "DESIGNS",
    "NUMBERS",
    "FrameSet",
    "ItemForms",
    "Language",
    "Sentence",
    "catalog",
    "file_text",
    "get",
    "names",
    "parse",
    "read",
]
