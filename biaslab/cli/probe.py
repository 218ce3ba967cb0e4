"""``biaslab probe``: run a probe and print what it found."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("probe", help="run a probe and print what it found")
    probes = parser.add_subparsers(required=True, metavar="PROBE")
    two_afc = probes.add_parser("two-afc", help="PSE and JND of words under cue pairs")
    two_afc.add_argument("subject", help="bundled name, file or folder")
    two_afc.add_argument("words", nargs="+")
    two_afc.add_argument("--cues", default="gender-pairs", help="spec, or cue1,cue2[;cue1,cue2...]")
    two_afc.add_argument("--csv", type=Path, help="write the estimates to a file")
    two_afc.add_argument("--json", type=Path, help="write the whole result to a file")
    two_afc.add_argument("--save", action="store_true", help="save the run in the store")
    two_afc.set_defaults(handler=_two_afc)


def _two_afc(options: argparse.Namespace) -> int:
    import biaslab as bl

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    result = bl.two_afc(bl.load(options.subject), options.words, cues)
    print(result.summary())
    if options.csv:
        result.to_csv(options.csv)
    if options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")
    return 0
