"""What the commands share: a command is a file of this folder with a function ``add``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a command adds its parser to."""

Handler = Callable[[argparse.Namespace], int]
"""What a command does with its options: set as its parser's default ``handler``."""
