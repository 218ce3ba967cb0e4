"""Readers of foreign text end soon, whatever text they are given."""

from __future__ import annotations

import subprocess
import sys

READERS = """
from biaslab.probes.occupations.outside_csv import _number
from biaslab.probes.rating.attributes import gender
from biaslab.probes.rating.reading import reader
from biaslab.probes.sentences.terms import find, starts_a_sentence
from biaslab.probes.sentences.generate.prompts import read_reply
from biaslab.probes.sentences.generate.writers import _first_sentence
from biaslab.probes.sentences.words import reading
from biaslab.asking.translation import language_problem, sentence_count
from biaslab.asking.providers.apertium_analysis import _words
from biaslab_train.embeddings.corpus import is_heading

length = 2**17
for piece in ("< ", "</ ", " ", ".", ".'", '"', '\\\\"', "^\\\\", "= ", "1", "her ", "` "):
    text = (piece * length)[:length] + "x"
    reader(gender(), "en").read(text, 1)
    sentence_count(text)
    language_problem(text, "She is here.", "en", "es")
    read_reply("[" + text)
    read_reply("```" + text + "y")
    _first_sentence(text)
    _words(text)
    is_heading("=" + text)
    _number(text, "")
    find(text, ["the nurse", "she"])
    starts_a_sentence(text, length)
    reading("her" + text, 0, 3)
"""


def test_readers_of_foreign_text_come_to_an_end() -> None:
    """A hundred kilobytes take a second in linear time, and many minutes otherwise."""
    subprocess.run([sys.executable, "-c", READERS], check=True, timeout=120)
