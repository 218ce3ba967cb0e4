"""What became of things that were added to those on the screen."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.wording import counted


@dataclass(frozen=True)
class Added:
    """What became of pictures or pairs that were added.

    Attributes
    ----------
    noun : str
        What one of them is called.
    new, back, there, refused : int
        New ones; ones that had been set aside and are used again; ones that are already there, or
        that a person has rejected before; ones that cannot be used.
    reason : str
        Why the first of those cannot be.
    """

    noun: str
    new: int = 0
    back: int = 0
    there: int = 0
    refused: int = 0
    reason: str = ""

    @property
    def text(self) -> str:
        """In plain words."""
        parts = [f"{counted(self.new, self.noun)} added" if self.new or not self.back else ""]
        parts.append(f"{counted(self.back, self.noun)} put back" if self.back else "")
        parts.append(f"{counted(self.there, self.noun)} already there" if self.there else "")
        said = ", ".join(part for part in parts if part) + "."
        if self.refused:
            said += f" {self.refused:,} cannot be used; the first because: {self.reason}"
        return said
