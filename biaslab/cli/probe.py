"""``biaslab probe``: run a probe and print what it found."""

from __future__ import annotations

import argparse

from biaslab.cli import (
    probe_association,
    probe_distances,
    probe_occupations,
    probe_posterior,
    probe_sentences,
    probe_stereotype,
)
from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("probe", help="run a probe and print what it found")
    probes = parser.add_subparsers(required=True, metavar="PROBE")
    two_afc = probes.add_parser("two-afc", help="PSE and JND of words under cue pairs")
    two_afc.add_argument("subject", help="bundled name, file or folder")
    two_afc.add_argument("words", nargs="+")
    two_afc.add_argument("--cues", default="gender-pairs", help="spec, or cue1,cue2[;cue1,cue2...]")
    add_outputs(two_afc)
    two_afc.set_defaults(handler=_two_afc)
    probe_occupations.add(probes)
    probe_association.add(probes)
    probe_distances.add(probes)
    probe_sentences.add(probes)
    probe_posterior.add(probes)
    probe_stereotype.add(probes)


def _two_afc(options: argparse.Namespace) -> int:
    import biaslab as bl

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    put_out(bl.two_afc(bl.load(options.subject), options.words, cues), options)
    return 0
