"""``biaslab probe``: run a probe and print its findings."""

from __future__ import annotations

from biaslab.cli import (
    probe_association,
    probe_distances,
    probe_images,
    probe_occupations,
    probe_posterior,
    probe_rate,
    probe_sentences,
    probe_stereotype,
    probe_two_afc,
)
from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("probe", help="run a probe and print its findings")
    probes = parser.add_subparsers(required=True, metavar="PROBE")
    probe_two_afc.add(probes)
    probe_occupations.add(probes)
    probe_association.add(probes)
    probe_distances.add(probes)
    probe_sentences.add(probes)
    probe_posterior.add(probes)
    probe_stereotype.add(probes)
    probe_images.add(probes)
    probe_rate.add(probes)
