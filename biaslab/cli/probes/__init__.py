"""``biaslab probe``: run a probe and print its findings."""

from __future__ import annotations

from biaslab.cli.commands import Family
from biaslab.cli.probes.association import model_distances, run_ceat, run_mac, run_seat, run_weat
from biaslab.cli.probes.decisions import measure_gap
from biaslab.cli.probes.posterior import sample_label
from biaslab.cli.probes.psychometrics import place_words, run_two_afc, trace_word
from biaslab.cli.probes.rating import rate_service
from biaslab.cli.probes.stereotypes import compare_images, compare_sentences

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
