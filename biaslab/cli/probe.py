"""``biaslab probe``: run a probe and print its findings."""

from __future__ import annotations

from biaslab.cli.commands import Family
from biaslab.cli.probe_association import run_mac, run_weat
from biaslab.cli.probe_decisions import measure_gap
from biaslab.cli.probe_distances import model_distances
from biaslab.cli.probe_images import compare_images
from biaslab.cli.probe_occupations import place_words
from biaslab.cli.probe_posterior import sample_label
from biaslab.cli.probe_rate import rate_service
from biaslab.cli.probe_sentences import run_ceat, run_seat
from biaslab.cli.probe_stereotype import compare_sentences
from biaslab.cli.probe_trace import trace_word
from biaslab.cli.probe_two_afc import run_two_afc

PROBE = Family(
    "probe",
    "run a probe and print its findings",
    (
        run_two_afc,
        place_words,
        trace_word,
        run_weat,
        run_mac,
        model_distances,
        run_seat,
        run_ceat,
        sample_label,
        compare_sentences,
        compare_images,
        rate_service,
        measure_gap,
    ),
    "PROBE",
)
