"""The predictions and self-checks of a person, kept in files beside the notebook."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Final

NAME: Final = "predictions.json"
CHECKS: Final = "self-checks.json"


class KeptPredictions:
    """What was predicted, or answered, by question.

    - `path`: of the file; it is made with the first prediction.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, str]:
        """Read the choice of each question; an empty one was passed by.

        A file that is missing, or none of ours, holds no predictions.
        """
        try:
            choices = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(choices, dict):
            return {}
        return {str(question): str(choice) for question, choice in choices.items()}

    def keep(self, question: str, choice: str) -> bool:
        """Keep a choice; return whether the file could be written."""
        return self._write({**self.read(), question: choice})

    def forget(self, question: str) -> bool:
        """Forget the choice of a question; return whether the file could be written."""
        return self._write({k: v for k, v in self.read().items() if k != question})

    def _write(self, predictions: dict[str, str]) -> bool:
        # Replaced at once, so that an interrupted kernel leaves no half of a file.
        draft = self.path.with_suffix(".draft")
        try:
            draft.write_text(
                json.dumps(predictions, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            draft.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            return False
        return True


def progress(folder: Path | None = None) -> str:
    """Say in a sentence how many predictions are kept in a folder.

    - `folder`: by default that of the notebook.
    """
    kept = KeptPredictions((folder or Path.cwd()) / NAME).read()
    if not kept:
        return "You have made no predictions yet."
    made = sum(bool(choice) for choice in kept.values())
    passed = len(kept) - made
    skipped = f" You skipped {passed}." if passed else ""
    return f"Predictions that you have made: {made}.{skipped}"
