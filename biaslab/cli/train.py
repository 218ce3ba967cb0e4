"""``biaslab train``: the commands of `biaslab_train`, imported when one of them is typed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from biaslab.cli.commands import Command, Family


class _Trainings:
    # By name, as `biaslab serve` finds the app: this package never imports biaslab_train. Entry
    # points of an editable installation would be as old as the last `pip install`.
    def __iter__(self) -> Iterator[Command]:
        if find_spec("biaslab_train") is None:
            sys.exit("biaslab: the commands that train are not installed. Install biaslab again.")
        commands: tuple[Command, ...] = import_module("biaslab_train.cli").COMMANDS
        return iter(commands)


TRAIN = Family("train", "train an embedding, a classifier or a model", _Trainings(), "KIND")
