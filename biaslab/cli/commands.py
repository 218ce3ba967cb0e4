"""Types shared by the commands; a command is a module of this package with a function ``add``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Collection of subparsers to which a command adds its own."""

Handler = Callable[[argparse.Namespace], int]
"""Function that runs a command; each parser sets it as the default of ``handler``."""
