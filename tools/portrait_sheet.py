"""Draw the contact sheet of ``docs/subjects/portraits.md``: occupations, ages and morphs.

``python tools/portrait_sheet.py`` writes ``docs/images/portraits.png``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from biaslab import portraits

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "portraits.png"
SIZE, COLUMNS = 96, 7
MORPHS = (("nurse", 1), ("electrician", 2), ("scientist", 10))
AGES = (20, 30, 40, 50, 60, 70, 80)


def people() -> list[portraits.Portrait]:
    """Portraits in rows of `COLUMNS`."""
    occupations = [
        portraits.sample_portrait(occupation, portraits.GROUPS[i % 2], 40 + i)
        for i, occupation in enumerate(portraits.OCCUPATIONS)
    ]
    ages = [portraits.sample_portrait("librarian", "man", 12, age=float(age)) for age in AGES]
    morphs = [
        portraits.morph(*portraits.sample_pair(occupation, seed), k / (COLUMNS - 1))
        for occupation, seed in MORPHS
        for k in range(COLUMNS)
    ]
    return [*occupations, *ages, *morphs]


def main() -> int:
    """Draw, and write with few colours: flat drawings lose nothing that one sees."""
    drawn = people()
    rows = -(-len(drawn) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * SIZE, rows * SIZE), "white")
    for i, portrait in enumerate(drawn):
        sheet.paste(portraits.draw(portrait, SIZE), (i % COLUMNS * SIZE, i // COLUMNS * SIZE))
    sheet.quantize(255, dither=Image.Dither.NONE).save(TARGET, optimize=True)
    print(f"{TARGET}: {len(drawn)} portraits, {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
