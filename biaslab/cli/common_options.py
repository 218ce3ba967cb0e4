"""Options that several commands share, with the same names and help texts."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_level(parser: argparse.ArgumentParser, default: float) -> None:
    """Add ``--level``, the level of the intervals."""
    parser.add_argument(
        "--level", type=float, default=default, help="level of the intervals (default: %(default)s)"
    )


def add_resamples(parser: argparse.ArgumentParser) -> None:
    """Add ``--resamples``, the number of bootstrap resamples."""
    parser.add_argument(
        "--resamples", type=int, default=2000, help="bootstrap resamples (default: %(default)s)"
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``, the seed of all random draws."""
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add ``--memory``, the limit of a batch in megabytes."""
    parser.add_argument("--memory", type=float, metavar="MB", help="memory limit of a batch in MB")


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add ``--device``, the processor that the model runs on."""
    parser.add_argument("--device", help="cpu or cuda (default: the GPU if there is one)")


def add_svg(parser: argparse.ArgumentParser) -> None:
    """Add ``--svg``, the file of the chart."""
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the chart to an SVG file")
