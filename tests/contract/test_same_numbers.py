"""A bench, the API and the command line give the same numbers for the same question.

Nobody names a seed or a number of resamples here: what is compared are the defaults.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
import biaslab_widgets as bw
from biaslab.cli import main
from biaslab.probes.posterior.plan import DEFAULTS
from biaslab.records.result import Result
from biaslab.subjects.classifier.base import StimulusMoments
from biaslab_widgets.benches import BENCHES
from harness import small_specs, tiny_language_models
from harness.heavy import pd, torch
from harness.needs import needs
from harness.tiny_parts import save

WORDS = ("nurse", "clerk", "pilot", "smith", "cook", "judge")
GROUPS = {"women": ("she", "woman", "her"), "men": ("he", "man", "his")}
WORD_SPEC = """\
name = "jobs"
title = "Jobs"
source = "test"
[groups]
women = ["she", "woman", "her"]
men = ["he", "man", "his"]
[attributes]
care = ["nurse", "clerk", "cook"]
craft = ["pilot", "smith", "judge"]
[attribute_groups]
care = ["women"]
craft = ["men"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> Path:
    """A home and a folder of their own."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def words(folder: Path) -> Path:
    """A file of word vectors."""
    rng = np.random.default_rng(1)
    terms = (*WORDS, *GROUPS["women"], *GROUPS["men"])
    vectors = rng.standard_normal((len(terms), 8))
    file = folder / "words.txt"
    rows = [f"{w} {' '.join(f'{x:.6f}' for x in v)}" for w, v in zip(terms, vectors, strict=True)]
    file.write_text("\n".join([f"{len(terms)} 8", *rows]))
    return file


def command(*arguments: object) -> Any:
    """The result that a probe's command writes."""
    *_, out = arguments
    assert main(["probe", *map(str, arguments[:-1]), "--json", str(out)]) == 0
    return Result.from_json(Path(str(out)))


def alike(*results: Any, digits: int = 0) -> None:
    """All estimates are the same in every digit, or in so many, and so is the seed."""
    first, *others = results
    how: dict[str, Any] = {"rtol": 10**-digits} if digits else {"check_exact": True}
    for other in others:
        pd.testing.assert_frame_equal(first.to_frame(), other.to_frame(), **how)
        assert first.verdict() == other.verdict()
        assert first.provenance.seed == other.provenance.seed


def test_psychometric(words: Path, folder: Path) -> None:
    subject = bl.load(words)
    bench = bw.PsychometricBench(subject, word="nurse", pairs=[("she", "he"), ("woman", "man")],
                                 selected_pairs=[0, 1])  # fmt: skip
    alike(
        bench.result,
        bl.two_afc(subject, ["nurse"], [("she", "he"), ("woman", "man")]),
        command("two-afc", words, "nurse", "--cues", "she,he;woman,man", folder / "out.json"),
    )


def test_occupations(words: Path, folder: Path) -> None:
    subject = bl.load(words)
    groups = ";".join(f"{name}={','.join(cues)}" for name, cues in GROUPS.items())
    bench = bw.OccupationsBench(subject, words=list(WORDS), groups=GROUPS, outside="")
    alike(
        bench.result,
        bl.occupations(subject, WORDS, GROUPS, outside=None),
        command("occupations", words, "--words", ",".join(WORDS), "--groups", groups,
                "--outside", "none", folder / "out.json"),
    )  # fmt: skip


def test_association(words: Path, folder: Path) -> None:
    spec = folder / "jobs.toml"
    spec.write_text(WORD_SPEC)
    subject = bl.load(words)
    shown = bw.AssociationBench(subject, spec=bl.specs.get(str(spec))).result
    alike(shown, bl.association.overview(subject, str(spec)))
    by_command = {
        name: command(name, words, spec, folder / f"{name}.json")
        for name in ("distances", "weat", "mac")
    }
    alike(shown.distance_model, bl.distance_model(subject, str(spec)), by_command["distances"])
    alike(shown.weat, bl.weat(subject, str(spec)), by_command["weat"])
    alike(shown.mac, bl.mac(subject, str(spec)), by_command["mac"])


@needs("pyro")
def test_posterior(folder: Path) -> None:
    rng = np.random.default_rng(0)
    terms = ("good", "bad", "she", "woman", "he", "man", "film")
    vectors = rng.standard_normal((len(terms), 4)).astype(np.float32)
    saved = bl.subjects.SentimentClassifier(
        bl.WordEmbedding(terms, vectors),
        [(np.array([[-1.0, 0, 0, 0], [1.0, 0, 0, 0]]), np.zeros(2))],
        stimuli=StimulusMoments(np.zeros(4), np.eye(4), 100),
        name="tiny",
    ).save(folder / "tiny")
    subject = bl.load(saved, kind="classifier")
    few: dict[str, Any] = {"chains": 8, "draws": 60}
    bench = bw.PosteriorBench(subject, **few)
    bench.run().wait()
    alike(
        bench.result,
        bl.posterior.overview(subject, **few),
        command("posterior", saved, "--chains", 8, "--draws", 60, folder / "out.json"),
    )
    alike(
        bench.result.of("positive"),
        bl.sample_posterior(subject, **few),
        command("posterior", saved, "--alone", "--chains", 8, "--draws", 60, folder / "one.json"),
    )


def test_a_run_of_the_posterior_bench_has_the_probes_size() -> None:
    fields = next(bench for bench in BENCHES if bench.name == "posterior").component.by_name
    assert (fields["chains"].default, fields["draws"].default) == DEFAULTS["vectorised"][:2]


def test_sentences(folder: Path) -> None:
    torch.manual_seed(0)
    save(tiny_language_models.bert(), folder / "tiny")
    spec = folder / "small.toml"
    spec.write_text(small_specs.SENTENCES)
    lm = bl.load(folder / "tiny", kind="mlm", device="cpu")
    bench = bw.SentenceBench(lm, spec=bl.specs.get(str(spec)))
    bench.test().wait()
    alike(
        bench.result,
        bl.stereotype_score(lm, str(spec)),
        command("sentences", folder / "tiny", spec, "--kind", "mlm", "--device", "cpu",
                folder / "out.json"),
    )  # fmt: skip


@pytest.mark.parametrize("seed", [0, 5])
def test_images(folder: Path, seed: int) -> None:
    """The seed is that of the portraits, too; docs/guide/reproducibility.md promises six digits."""
    spec = folder / "portraits.toml"
    spec.write_text(small_specs.IMAGES)
    vlm = bl.load("portrait-clip", device="cpu")
    chosen = {"seed": seed} if seed else {}
    flags = [f"--{name}={number}" for name, number in chosen.items()]
    bench = bw.ImageBench(vlm, spec=bl.specs.get(str(spec)), per_term=2, **chosen)
    bench.test().wait()
    alike(
        bench.result,
        bl.image_association(vlm, str(spec), per_term=2, rng=seed),
        command("images", "portrait-clip", spec, "--per-term", 2, "--device", "cpu",
                *flags, folder / "out.json"),
        digits=6,
    )  # fmt: skip


def test_rating(folder: Path) -> None:
    bench = bw.RatingBench(service="noisy")
    bench.run().wait()
    alike(bench.result, bl.rate("noisy"), command("rate", "noisy", folder / "out.json"))


def test_every_seed_is_0_by_default() -> None:
    for bench in BENCHES:
        if "seed" in bench.component.by_name:
            assert bench.component.by_name["seed"].default == 0, bench.name
    assert bl.RatingDesign.make().seed == 0
    assert bl.images.DrawnMorphs(observers=1).seed == 0
