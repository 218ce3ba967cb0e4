"""Apertium by command: one run of the program per text, without a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biaslab.calls import recorded_class
from biaslab.services.apertium_files import MODES, content_hash, modes, program
from biaslab.services.running import run
from biaslab.services.service import Cost, Limits
from biaslab.services.translation import no_pair


@recorded_class
class ApertiumCommand:
    """Apertium's program on this machine.

    Unknown words stay unchanged, without a mark.

    Parameters
    ----------
    folder : Path
        Folder of the pairs' mode files.
    limits : Limits, optional
        By default two runs at once.

    Raises
    ------
    ServiceSetupError
        If Apertium is not installed.
    """

    name = "Apertium"
    about = "rule-based translator on this machine"

    def __init__(self, folder: Path = MODES, *, limits: Limits | None = None) -> None:
        self.limits = limits or Limits(concurrency=2)
        self.cost = Cost()
        self._program = program("apertium")
        self._modes = modes(folder)

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`."""
        return frozenset(self._modes)

    def identity_of(self, source: str, target: str) -> str:
        """Pair with the hash of its rules and dictionaries."""
        return f"apertium {source}-{target} {content_hash(self._mode(source, target))}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        mode = self._mode(source, target)
        # The program's directory option is the parent of the modes' folder.
        command = [self._program, "-u", "-f", "txt", "-d", str(mode.parent.parent), mode.stem]
        return [run(command, text, timeout=self.limits.timeout).strip() for text in texts]

    def _mode(self, source: str, target: str) -> Path:
        if (source, target) not in self._modes:
            raise no_pair(self.name, source, target, self._modes)
        return self._modes[source, target]

    def __repr__(self) -> str:
        return f"<ApertiumCommand with {len(self._modes)} pairs>"
