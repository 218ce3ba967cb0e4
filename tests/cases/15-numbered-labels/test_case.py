from __future__ import annotations

from biaslab.probes.sentences.formats.published import read_crows_pairs


def test_numbers_are_labels() -> None:
    rows = [
        {"sent_more": "She can't drive.", "sent_less": "He can't drive.", "stereo_antistereo": way,
         "bias_type": kind}
        for way, kind in ((0, 2), (1, 8))
    ]  # fmt: skip
    first, second = read_crows_pairs(rows, "crows")
    assert (first.bias_type, first.groups) == ("gender", ("disadvantaged", "other"))
    assert (second.bias_type, second.groups) == ("age", ("other", "disadvantaged"))
