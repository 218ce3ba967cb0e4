"""The readers of what others give, with small valid inputs: see `harness.fuzzing`."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pillow

import biaslab as bl
from biaslab.asking.providers.http_api import read_description
from biaslab.errors import BiaslabError
from biaslab.images.opening import open_pixels
from biaslab.probes.occupations import OutsideTable
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sentences.exchange import read_pairs
from biaslab.probes.similarity import read_judgements
from biaslab.records.result import Result
from biaslab.subjects.formats.detect import read_embedding_header
from harness.embedding_files import fasttext_vec, glove_text, word2vec_binary, word2vec_text
from harness.fuzzing import Target

ROOT = Path(__file__).resolve().parents[2]
_WORDS = ["she", "he", "nurse", "captain", "Müller"]
_VECTORS = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)


@cache
def targets() -> dict[str, Target]:
    """All of them, by name."""
    package = ROOT / "biaslab"
    specs = package / "specs" / "catalogue"
    toml = [
        (specs / f"{name}.toml").read_bytes() for name in ("weat-9", "gender-pairs", "he-she-other")
    ]
    as_json = [bl.specs.get(name).to_json().encode() for name in ("weat-9", "love-hate")]
    cases = sorted((package / "cases" / "catalogue").glob("*.toml"))[:3]
    frames = sorted((package / "frames" / "data").glob("*.toml"))[:2]
    result = bl.weat(bl.load(dict(zip(_WORDS, _VECTORS, strict=True))), _spec())
    return {
        "embedding-text": _embedding(
            "v.txt",
            [
                glove_text(_WORDS, _VECTORS),
                word2vec_text(_WORDS, _VECTORS),
                fasttext_vec(_WORDS, _VECTORS),
            ],
        ),
        "embedding-binary": _embedding("v.bin", [word2vec_binary(_WORDS, _VECTORS)]),
        "embedding-packed": _embedding(
            "v.txt.gz",
            [
                pack(glove_text(_WORDS, _VECTORS))
                for pack in (gzip.compress, bz2.compress, lzma.compress)
            ],
        ),
        "embedding-npz": _embedding("v.npz", [_npz(np.savez), _npz(np.savez_compressed)]),
        "embedding-safetensors": _embedding("v.safetensors", [_safetensors()]),
        "image": Target(_pictures(), lambda content, _: open_pixels(content)),
        "spec-toml": _file("s.toml", toml, bl.specs.read),
        "spec-json": _file("s.json", as_json, bl.specs.read),
        "case": _file("c.toml", [file.read_bytes() for file in cases], bl.cases.read),
        "frames": _file("f.toml", [file.read_bytes() for file in frames], bl.frames.get),
        "service": _file("h.toml", _SERVICES, read_description),
        "distances": _file("d.csv", [_DISTANCES], bl.association.DistanceTable.read_csv),
        "outside": _file("o.csv", [_OUTSIDE], OutsideTable.read_csv),
        "trials": _file("t.csv", [_TRIALS], Trials.read_csv),
        "pairs-csv": _file(
            "p.csv",
            [_PAIRS],
            lambda path: read_pairs(path, spec=bl.specs.get("biastest-professions")),
        ),
        "pairs-json": _file("p.json", [_STEREOSET], read_pairs),
        "similarity": _file("m.tsv", [_SIMILARITY], read_judgements),
        "result": Target([result.to_json().encode()], lambda content, _: Result.from_json(content)),
    }


def _spec() -> bl.specs.Spec:
    return bl.specs.Spec(
        name="small", title="Small", source="test",
        groups={"women": ("she", "nurse"), "men": ("he", "captain")},
        attributes={"a": ("nurse", "she"), "b": ("captain", "he")},
    )  # fmt: skip


def _file(name: str, valid: list[bytes], read: Callable[[Path], object]) -> Target:
    def reads(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return Target(valid, reads)


def _embedding(name: str, valid: list[bytes]) -> Target:
    def read(path: Path) -> object:
        with contextlib.suppress(BiaslabError):
            read_embedding_header(path)
        found = bl.load(path)
        known = list(found.words)[:3]
        return found.vectors(known)

    return _file(name, valid, read)


def _npz(save: Any) -> bytes:
    out = io.BytesIO()
    save(out, words=np.array(_WORDS), vectors=_VECTORS)
    return out.getvalue()


def _safetensors() -> bytes:
    data = _VECTORS.tobytes()
    header = {
        "__metadata__": {"words": json.dumps(_WORDS)},
        "vectors": {"dtype": "F32", "shape": [5, 4], "data_offsets": [0, len(data)]},
    }
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def _pictures() -> list[bytes]:
    picture = Pillow.fromarray(
        np.random.default_rng(0).integers(0, 255, (17, 16, 3), dtype=np.uint8)
    )
    made = []
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"):
        out = io.BytesIO()
        picture.save(out, kind)
        made.append(out.getvalue())
    return made


_SERVICES = [
    b"""name = "own"
version = "2"
[request]
url = "https://example.org/{source}/{target}"
headers = { authorization = "Bearer {env:MY_KEY}" }
[request.json]
q = "{text}"
[answer]
path = "data.translations[0].text"
[languages]
en = "eng"
[limits]
calls_per_second = 2
""",
    b"""name = "many"
pairs = [["en", "es"], ["es", "en"]]
[request]
url = "http://127.0.0.1:9/"
[request.json]
texts = "{texts}"
[answer]
path = "answers[].text"
[limits]
texts_per_call = 5
[cost]
per_call = 0.1
""",
]
_DISTANCES = b"""protectedWord,wordToCompare,wordClass,cosineDistance,cosineSimilarity,connection
jew,greedy,jew,0.6,0.4,associated
muslim,greedy,jew,0.8,0.2,different
jew,walk,human,0.9,0.1,human
jew,clock,neutral,0.95,0.05,none
"""
_OUTSIDE = b'occupation,percent female,source\nnurse,88.5,survey\ncaptain,9,survey\nclerk,"1,5",x\n'
_TRIALS = (
    b"item,cue_1,cue_2,alpha,answer\nnurse,she,he,0.1,she\nnurse,she,he,0.9,he\nclerk,she,he,0.5,\n"
)
_PAIRS = b"""sentence,alternative_sentence,attribute_term,group_term
The nurse said she was tired.,The nurse said he was tired.,nurse,she
The captain said he was tired.,The captain said she was tired.,captain,he
"""
_SIMILARITY = b"# a set\nword1\tword2\tscore\nshe\the\t7.5\nnurse\tcaptain\t3.1\n"
_STEREOSET = json.dumps(
    {"data": {"intersentence": [], "intrasentence": [{
        "id": "1", "target": "nurse", "bias_type": "profession", "context": "The nurse is BLANK.",
        "sentences": [
            {"id": "2", "sentence": "The nurse is kind.", "gold_label": "stereotype"},
            {"id": "3", "sentence": "The nurse is rude.", "gold_label": "anti-stereotype"},
        ],
    }]}}
).encode()  # fmt: skip
