"""Damage valid inputs in many ways, from a seed, and see that readers refuse what they cannot read.

A reader may return, or raise an error of biaslab. Anything else is a find: keep the input as a case
in ``tests/corpus/`` (`found_cases`), whose folders have the names of the readers.
"""

from __future__ import annotations

import random
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biaslab.errors import BiaslabError

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
_NUMBERS = (
    b"0", b"-1", b"1e309", b"-0.0", b"nan", b"inf", b"2147483648", b"9223372036854775808",
    b"1" * 400, b"0.5", b"true", b"null",
)  # fmt: skip
_TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\t", b",", b";", b'"', b"'", b'"""',
    b"[", b"]", b"[[", b"{", b"}", b"=", b".", b"\\", b"\\u0000", b"\\ud800", b"<", b"#", b"{text}",
    b"[]", b"\xc3\x28", b"2020-01-01", b" " * 300, b"[" * 300, b"a." * 40, b"\xe2\x80\xa8",
    b"__metadata__", b"words", b"vectors",
)  # fmt: skip
_BITS = (0x00, 0x01, 0x7F, 0x80, 0xFF)


@dataclass(frozen=True)
class Target:
    """A reader, with valid inputs of it.

    Attributes
    ----------
    valid : sequence of bytes
    read : callable
        Takes an input and a folder for files.
    damage : callable
        Given valid inputs and a seed, makes a damaged one; `damaged` by default.
    """

    valid: Sequence[bytes]
    read: Callable[[bytes, Path], object]
    damage: Callable[[Sequence[bytes], int], bytes] | None = None

    def damaged(self, seed: int) -> bytes:
        """A damaged input; the same for the same seed."""
        return (self.damage or damaged)(self.valid, seed)


@dataclass(frozen=True)
class Find:
    """An input that a reader neither read nor refused."""

    target: str
    seed: int
    content: bytes
    error: str


def damaged(valid: Sequence[bytes], seed: int) -> bytes:
    """Return one of the inputs with one to eight changes; the same for the same seed."""
    draw = random.Random(seed)  # a test
    content = bytearray(draw.choice(valid))
    for _ in range(draw.choice((1, 1, 2, 3, 5, 8))):
        _change(content, draw, valid)
    return bytes(content[: 1 << 18])


def _change(content: bytearray, draw: random.Random, valid: Sequence[bytes]) -> None:
    size = len(content)
    # Headers decide more than bodies.
    place = draw.randrange(min(size, draw.choice((16, 200, 1 << 30))) + 1)
    end = min(size, place + draw.choice((1, 1, 2, 4, 8, 40, 400)))
    match draw.randrange(9):
        case 0 if place < size:
            content[place] ^= 1 << draw.randrange(8)
        case 1 if place < size:
            content[place] = draw.choice(_BITS)
        case 2:
            del content[place:end]
        case 3:
            content[place:place] = content[place:end] * draw.choice((1, 2, 20))
        case 4:
            content[place:place] = draw.choice(_TOKENS)
        case 5:
            content[place:end] = draw.choice(_TOKENS)
        case 6:
            del content[place:]
        case 7:
            other = draw.choice(valid)
            start = draw.randrange(len(other) + 1)
            content[place:end] = other[start : start + draw.choice((4, 40, 4000))]
        case _:
            _replace_number(content, draw)


def _replace_number(content: bytearray, draw: random.Random) -> None:
    digits = [i for i, byte in enumerate(content[:4000]) if 48 <= byte <= 57]
    if digits:
        start = end = draw.choice(digits)
        while end < len(content) and (48 <= content[end] <= 57 or content[end] in b".eE"):
            end += 1
        content[start:end] = draw.choice(_NUMBERS)


def tried(name: str, target: Target, content: bytes, folder: Path, seed: int = -1) -> Find | None:
    """Read an input; return a find if it was neither read nor refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.read(content, folder)
    except BiaslabError:
        return None
    except Exception:  # noqa: BLE001  # it is what we look for
        return Find(name, seed, content, traceback.format_exc())
    return None


def finds(
    targets: Mapping[str, Target], seeds: Iterator[int], folder: Path, seconds: float
) -> Iterator[Find]:
    """Try damaged inputs of all targets in turn, until the seeds or the time are used up."""
    end = time.monotonic() + seconds
    for seed in seeds:
        for name, target in targets.items():
            if time.monotonic() > end:
                return
            found = tried(name, target, target.damaged(seed), folder, seed)
            if found is not None:
                yield found


def found_cases(names: Iterable[str]) -> list[tuple[str, Path]]:
    """Inputs that were found once for some readers, each with the name of its reader."""
    files = sorted(CORPUS.glob("*/*"))
    known = set(names)
    return [(file.parent.name, file) for file in files if file.parent.name in known]
