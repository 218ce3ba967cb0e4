from __future__ import annotations

import unicodedata

import pytest

import biaslab as bl


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_words_are_known(form: str) -> None:
    words = [unicodedata.normalize(form, word) for word in ("Mary", "José", "nurse")]
    embedding = bl.load({word: [float(i), 1.0] for i, word in enumerate(words)})
    asked = ["MARY", unicodedata.normalize("NFC", "JOSÉ"), "NURSE"]
    assert not embedding.resolve(asked).unknown
    assert not embedding.resolve([unicodedata.normalize("NFD", "José")]).unknown
