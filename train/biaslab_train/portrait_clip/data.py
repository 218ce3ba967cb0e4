"""Portraits for training: sampled by the plant, drawn once, stored on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from biaslab.errors import TrainingError
from biaslab.files.atomic import write_atomically
from biaslab.portraits import (
    GROUPS,
    MAN,
    WOMAN,
    Background,
    Dress,
    Portrait,
    person_of,
    pixels,
    sample_appearance,
)
from biaslab_train.portrait_clip.captions import Facts, looks_of
from biaslab_train.portrait_clip.plant import Plant

Pixels = npt.NDArray[np.uint8]
TRAINING, FRESH = 7, 8
"""Random streams: training and fresh portraits never coincide."""
_LARGE = 224
_AT_ONCE = 500


@dataclass(frozen=True)
class Sampled:
    """A portrait with its truth.

    - `group`, {"woman", "man"}: from which it was sampled.
    - `facts`: facts for captions.
    """

    portrait: Portrait
    group: str
    facts: Facts


def sampled(
    women: float | None, occupations: Sequence[str], seed: Sequence[int], plant: Plant
) -> Sampled:
    """Sample one portrait of a random occupation.

    - `women`: P(woman); by default the plant's for the occupation.
    - `occupations`: drawn from uniformly.
    - `seed`: fixes everything.
    - `plant`: the plant.
    """
    rng = np.random.default_rng(list(seed))
    occupation = occupations[int(rng.integers(len(occupations)))]
    share = plant.women[occupation] if women is None else women
    group = WOMAN if rng.random() < share else MAN
    appearance = sample_appearance(group, rng)
    person = person_of(appearance, rng)
    dress = Dress(occupation, round(float(rng.random()), 4))
    back = Background(round(float(rng.random()), 4), round(float(rng.random()) * 0.6, 4))
    return Sampled(
        Portrait(person, dress, back), group, Facts(appearance, occupation, looks_of(person))
    )


def network_input(portrait: Portrait, size: int, large: bool) -> Pixels:
    """Return a portrait as the network's input, drawn at its size, or shrunk.

    Both occur in training, so that the size of drawing does not matter later.
    """
    if not large or size >= _LARGE:
        return pixels(portrait, size)
    from PIL import Image

    image = Image.fromarray(pixels(portrait, _LARGE))
    return np.asarray(image.resize((size, size), Image.Resampling.BICUBIC))


@dataclass(frozen=True)
class Pool:
    """Portraits to train on.

    - `images`, array (portraits, size, size, 3): mapped from disk.
    """

    images: Pixels
    facts: tuple[Facts, ...]


def prepare_pool(
    folder: Path,
    plant: Plant,
    number: int,
    size: int,
    seed: int,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int], object] = lambda *_: None,
) -> Pool | None:
    """Return the training portraits in a folder; draw missing ones.

    - `folder`: has ``portraits.npy`` and its recipe. An interrupted drawing continues.
    - `plant`, `number`, `size`, `seed`: recipe of the portraits.
    - `stop`: called now and then; when true, drawing ends.
    - `on_progress`: called with portraits done and in all.
    - Returns: None if `stop` ended it before all were drawn.
    - Raises `TrainingError` if the folder contains other portraits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    recipe = {"women": dict(plant.women), "number": number, "size": size, "seed": seed}
    key = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()
    noted, stored = folder / "portraits.json", folder / "portraits.npy"
    done = 0
    if noted.exists() and stored.exists():
        about = _read_json(noted)
        if about.get("key") != key:
            raise TrainingError(
                f"{folder} contains portraits drawn with other settings. Give another --data, or"
                " remove it."
            )
        done = int(about.get("done", 0))
    shape = (number, size, size, 3)
    if done < number:
        mode = "r+" if done else "w+"
        images = np.lib.format.open_memmap(
            stored, mode=mode, dtype=np.uint8, shape=None if done else shape
        )
        for start in range(done, number, _AT_ONCE):
            if stop():
                return None
            end = min(start + _AT_ONCE, number)
            for i in range(start, end):
                person = sampled(None, plant.occupations, (seed, TRAINING, i), plant)
                images[i] = network_input(person.portrait, size, bool(i % 2))
            images.flush()
            write_atomically(noted, json.dumps({"key": key, "done": end}) + "\n")
            on_progress(end, number)
        del images
    facts = tuple(
        sampled(None, plant.occupations, (seed, TRAINING, i), plant).facts for i in range(number)
    )
    return Pool(np.load(stored, mmap_mode="r"), facts)


def fresh(
    plant: Plant, number: int, seed: int, occupations: Sequence[str] | None = None
) -> list[Sampled]:
    """Return portraits outside training, half of them of women in every occupation."""
    names = occupations or plant.occupations
    out = []
    for i in range(number):
        women = 1.0 if GROUPS[i % 2] == WOMAN else 0.0
        out.append(sampled(women, names, (seed, FRESH, i), plant))
    return out


def moved(images: Pixels, rng: np.random.Generator, most: int = 1) -> Pixels:
    """Shift each picture by a few pixels, with its edge repeated."""
    padded = np.pad(images, ((0, 0), (most, most), (most, most), (0, 0)), mode="edge")
    size = images.shape[1]
    out = np.empty_like(images)
    for i, (dy, dx) in enumerate(rng.integers(0, 2 * most + 1, (len(images), 2))):
        out[i] = padded[i, dy : dy + size, dx : dx + size]
    return out


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} is damaged ({error}). Remove its folder.") from error
    return content if isinstance(content, dict) else {}
