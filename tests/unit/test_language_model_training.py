"""Training of language models: continued bit for bit, loadable offline, clear in its errors."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.cli import main
from biaslab.errors import CorpusError, TrainingError, WriteError
from biaslab_train.language_models import tokens as language_model_data
from biaslab_train.language_models.tokenizer import SPECIAL, for_kind
from biaslab_train.language_models.tokens import articles, blocks, prepare_tokens
from biaslab_train.runs import Progress, read_about, share_of
from biaslab_train.settings import Hours, LanguageModelSettings, rate_factor
from harness.corpora import write_reflexives
from harness.deferred import Deferred
from harness.heavy import torch, transformers
from harness.needs import needs

pytestmark = needs("torch", "transformers")

training = Deferred("biaslab_train.language_models.training")
recipes = Deferred("biaslab_train.recipes")
lm_network = Deferred("biaslab_train.language_models.network")

TINY: dict[str, Any] = {
    "vocabulary": 320, "layers": 1, "width": 16, "heads": 2, "inner": 16,
    "context": 16, "batch": 8, "held_out": 0.1,
}  # fmt: skip
STEP = TINY["context"] * TINY["batch"]
KINDS = pytest.mark.parametrize("kind", ["clm", "mlm"])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reflexives(tmp_path_factory.mktemp("corpus") / "corpus.txt", 120)


@pytest.fixture(scope="module")
def data(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    prepare_tokens(corpus, folder, LanguageModelSettings(**TINY))
    return folder


def _train(
    corpus: Path, folder: Path, data: Path, steps: int, kind: str = "clm", **options: Any
) -> bool:
    recipe = training.LanguageModelRecipe(corpus, LanguageModelSettings(kind=kind, **TINY))
    done: bool = recipes.train(
        recipe, folder, steps * STEP, data=data, device="cpu", threads=1, **options
    )
    return done


def _after(steps: int) -> Callable[[], bool]:
    """A `stop` that is asked before each step, and says so after some."""
    calls = iter(range(steps))
    return lambda: next(calls, None) is None


def test_the_command_decides_the_precision(corpus: Path, data: Path, tmp_path: Path) -> None:
    for name, given, noted in (("plain", {}, "bfloat16"), ("full", {"precision": "float32"}, "")):
        assert _train(corpus, tmp_path / name, data, 2, **given)
        about = json.loads((tmp_path / name / "training.json").read_text())
        assert about["precision"] == (noted or "float32")
    assert _train(corpus, tmp_path / "full", data, 3, resume=True)
    about = json.loads((tmp_path / "full" / "training.json").read_text())
    assert about["precision"] == "float32", "a continued run keeps its own"
    with pytest.raises(TrainingError, match="computes in float32, not in bfloat16"):
        _train(corpus, tmp_path / "full", data, 4, resume=True, precision="bfloat16")
    with pytest.raises(TrainingError, match="choose bfloat16 or float32"):
        _train(corpus, tmp_path / "other", data, 2, precision="float8")


@KINDS
def test_a_run_interrupted_twice_ends_as_one_that_was_not(
    kind: str, corpus: Path, data: Path, tmp_path: Path
) -> None:
    assert _train(corpus, tmp_path / "whole", data, 12, kind)
    parts = tmp_path / "parts"
    assert not _train(corpus, parts, data, 12, kind, stop=_after(5))
    position, _ = read_about(parts / "work" / "checkpoint.safetensors")
    assert (position["step"], position["tokens"]) == (5, 5 * STEP)
    assert not _train(corpus, parts, data, 12, kind, stop=_after(3), resume=True)
    assert _train(corpus, parts, data, 12, kind, resume=True)
    from safetensors.torch import load_file

    states = [
        load_file(tmp_path / name / "work" / "checkpoint.safetensors")
        for name in ("whole", "parts")
    ]
    assert states[0].keys() == states[1].keys()
    for name, tensor in states[0].items():
        assert torch.equal(tensor, states[1][name]), name
    models = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "parts")]
    assert models[0] == models[1]


def test_another_seed_gives_another_model(corpus: Path, data: Path, tmp_path: Path) -> None:
    networks = [
        lm_network.build_network(LanguageModelSettings(**TINY | {"seed": seed}), 300, "clm")
        for seed in (1, 1, 2)
    ]
    first, same, other = (n.get_input_embeddings().weight for n in networks)
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_building_a_network_leaves_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    lm_network.build_network(LanguageModelSettings(**TINY), 300, "clm")
    assert torch.equal(before, torch.random.get_rng_state())


@KINDS
def test_the_loss_falls_and_the_model_opens_offline(
    kind: str, corpus: Path, data: Path, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    _train(corpus, tmp_path / "m", data, 200, kind, on_progress=seen.append)
    assert [p.step for p in seen] == [50, 100, 150, 200]
    assert seen[-1].loss < seen[0].loss - 1
    assert seen[-1].share == 1
    folder = tmp_path / "m"
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    which = {"clm": transformers.AutoModelForCausalLM, "mlm": transformers.AutoModelForMaskedLM}[
        kind
    ]
    network = which.from_pretrained(folder)
    assert network.dtype == torch.float32
    text = "She taught herself." if kind == "clm" else "She taught <mask>."
    ids = tokenizer(text, return_tensors="pt")
    scores = network(input_ids=ids["input_ids"], attention_mask=ids["attention_mask"]).logits
    assert scores.shape == (*ids["input_ids"].shape, len(tokenizer))
    assert torch.isfinite(scores).all()
    log = (folder / "work" / "log.tsv").read_text().splitlines()
    assert len(log) == 5
    assert json.loads((folder / "training.json").read_text())["position"]["step"] == 200


def test_a_run_may_be_given_more_and_less(corpus: Path, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    assert _train(corpus, folder, data, 4)
    assert _train(corpus, folder, data, 6, resume=True)
    assert read_about(folder / "work" / "checkpoint.safetensors")[0]["step"] == 6
    assert _train(corpus, folder, data, 5, resume=True)
    assert read_about(folder / "work" / "checkpoint.safetensors")[0]["step"] == 6


def test_a_full_disk_keeps_the_last_checkpoint(
    corpus: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    _train(corpus, folder, data, 4, stop=_after(2))
    path = folder / "work" / "checkpoint.safetensors"
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="Free some space"):
        _train(corpus, folder, data, 4, resume=True)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["checkpoint.safetensors"]
    monkeypatch.undo()
    assert _train(corpus, folder, data, 4, resume=True)


def test_what_a_kill_left_over_is_removed(corpus: Path, data: Path, tmp_path: Path) -> None:
    left = tmp_path / "m" / "work" / ".0123.partial"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    _train(corpus, tmp_path / "m", data, 1)
    assert not left.exists()


def test_a_disk_without_room_for_the_tokens_is_told_at_once(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr(language_model_data.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(WriteError, match="Free some space"):
        prepare_tokens(corpus, tmp_path / "data", LanguageModelSettings(**TINY))


def test_a_disk_that_fills_while_encoding_leaves_nothing_half_done(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace

    def full(self: Path, target: Path) -> Path:
        if self.name == "train.partial":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WriteError, match="No space left"):
        prepare_tokens(corpus, tmp_path / "data", LanguageModelSettings(**TINY))
    assert [p.name for p in (tmp_path / "data").iterdir()] == ["tokens-tokenizer.json"]


def test_a_damaged_checkpoint_is_refused_in_words(corpus: Path, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    _train(corpus, folder, data, 2)
    path = folder / "work" / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TrainingError, match="damaged"):
        _train(corpus, folder, data, 3, resume=True)


def test_a_loss_that_is_no_number_ends_training_and_keeps_the_checkpoint(
    corpus: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    _train(corpus, folder, data, 9, stop=_after(2))
    before = (folder / "work" / "checkpoint.safetensors").read_bytes()
    real = training.loss_sum
    monkeypatch.setattr(
        "biaslab_train.language_models.training.loss_sum", lambda *a: real(*a) * float("nan")
    )
    with pytest.raises(TrainingError, match="no longer a number after 2 steps"):
        _train(corpus, folder, data, 9, resume=True, seconds_between_checkpoints=0)
    assert (folder / "work" / "checkpoint.safetensors").read_bytes() == before


def test_a_device_that_is_not_there_is_told(corpus: Path, data: Path, tmp_path: Path) -> None:
    recipe = training.LanguageModelRecipe(corpus, LanguageModelSettings(**TINY))
    with pytest.raises(TrainingError, match="no device 'abacus'"):
        recipes.train(recipe, tmp_path / "m", 1, data=data, device="abacus")


def test_a_run_is_neither_overwritten_nor_mixed_with_another(
    corpus: Path, data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    _train(corpus, folder, data, 2)
    with pytest.raises(TrainingError, match="--resume"):
        _train(corpus, folder, data, 2)
    with pytest.raises(TrainingError, match="other settings"):
        _train(corpus, folder, data, 2, "mlm", resume=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "seq2seq"}, "clm, mlm"),
        ({"vocabulary": 100}, "300"),
        ({"vocabulary": 70_000}, "65,536"),
        ({"width": 30, "heads": 4}, "multiple"),
        ({"context": 2}, "8 or more"),
        ({"batch": 0}, "is 0. Use 1 or more"),
        ({"held_out": 0.0}, "held_out"),
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        LanguageModelSettings(**change)


@pytest.mark.parametrize(("budget", "option"), [(0, "tokens"), (Hours(-1), "hours")])
def test_a_budget_is_a_positive_number(budget: int | Hours, option: str) -> None:
    with pytest.raises(TrainingError, match=f"a positive --{option}"):
        share_of(budget, "tokens")


@pytest.mark.parametrize("text", ["", "\n\n", "1234 5678\n", "A nurse.\n\nA cook.\n"])
def test_a_corpus_that_is_too_small_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"no words|too small"):
        prepare_tokens(path, tmp_path / "data", LanguageModelSettings(**TINY))


def test_a_folder_of_tokens_is_not_used_for_another_corpus(
    corpus: Path, data: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text(corpus.read_text(encoding="utf-8").replace("nurse", "baker"), encoding="utf-8")
    with pytest.raises(CorpusError, match="source"):
        prepare_tokens(other, data, LanguageModelSettings(**TINY))
    with pytest.raises(CorpusError, match="vocabulary"):
        prepare_tokens(corpus, data, LanguageModelSettings(**TINY | {"vocabulary": 310}))


def test_articles_end_at_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\nOne.\nTwo.\n\n\nThree.\n", encoding="utf-8")
    assert list(articles(path)) == [["One.", "Two."], ["Three."]]


def test_training_and_held_out_tokens_are_the_corpus(corpus: Path, data: Path) -> None:
    tokens = prepare_tokens(corpus, data, LanguageModelSettings(**TINY))
    sizes = tokens.recipe["articles"]
    assert sizes["train"] + sizes["held_out"] == 120
    assert len(tokens.held_out_starts) == sizes["held_out"] > 0
    assert (tokens.held_out[tokens.held_out_starts] == tokens.begin).all()
    read = " ".join(tokens.tokenizer.decode(part) for part in (tokens.train, tokens.held_out))
    assert sorted(read.split()) == sorted(corpus.read_text(encoding="utf-8").lower().split())


@pytest.mark.parametrize(
    "text",
    [
        "she taught herself, and he (the nurse's friend) did not!",
        "caf\u00e9s in 1987 cost 12,345 marks \u2014 \U0001f600",
        "\u05e9\u05dc\u05d5\u05dd <b>bold</b>   and   spaces",
    ],
)
def test_the_tokenizer_returns_a_text_without_capitals_and_accents(text: str, data: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(data / "tokens-tokenizer.json"))
    expected = text.replace("\u00e9", "e")
    assert tokenizer.decode(tokenizer.encode(text.upper()).ids).strip() == expected.strip()


def test_pronouns_are_single_tokens_and_a_mask_takes_its_space(data: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(data / "tokens-tokenizer.json"))
    for word in ("she", "he", "herself", "himself", "nurse"):
        assert len(tokenizer.encode(word.title()).ids) == 1, word
    ids = for_kind(tokenizer, "mlm").encode("She <mask>.").ids
    begin, end, mask = (SPECIAL.index(token) for token in ("<s>", "</s>", "<mask>"))
    she, dot = tokenizer.encode("She.").ids
    assert ids == [begin, she, mask, dot, end]
    assert for_kind(tokenizer, "clm").encode("She").tokens == ["<s>", "Ġshe"]


def test_every_pass_shows_each_sequence_once_in_a_new_order() -> None:
    tokens = np.arange(1003, dtype=np.uint16)
    per_pass = 1001 // 10
    first, second = (
        np.concatenate([blocks(tokens, 10, 10, step, 1) for step in range(at, at + 10)])
        for at in (0, 10)
    )
    assert per_pass == 100
    assert len(set(first[:, 0].tolist())) == 100
    assert len(set(second[:, 0].tolist())) == 100
    assert first[:, 0].tolist() != second[:, 0].tolist()
    assert (np.diff(first.astype(int), axis=1) == 1).all()
    assert not np.array_equal(blocks(tokens, 10, 10, 0, 1), blocks(tokens, 10, 10, 0, 2))


def test_hidden_tokens_are_hidden_as_often_as_asked() -> None:
    ids = np.random.default_rng(0).integers(0, 500, (400, 100))
    shown, hidden = lm_network.masked_batch(ids, 0.25, 500, np.random.default_rng(1))
    ordinary = ids >= len(SPECIAL)
    assert not hidden[~ordinary].any()
    assert abs(hidden[ordinary].mean() - 0.25) < 0.01
    assert (shown[~hidden] == ids[~hidden]).all()
    masked = shown[hidden] == SPECIAL.index("<mask>")
    same = shown[hidden] == ids[hidden]
    assert abs(masked.mean() - 0.8) < 0.02
    assert abs(same.mean() - 0.1) < 0.02
    assert (shown[hidden][~masked] >= len(SPECIAL)).all()


def test_the_loss_and_its_gradients_are_those_of_torch() -> None:
    rng = torch.Generator().manual_seed(0)
    states = torch.randn(1100, 8, generator=rng, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(30, 8, generator=rng, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 30, (1100,), generator=rng)
    expected = torch.nn.functional.cross_entropy(states @ weight.t(), targets, reduction="sum")
    wanted = torch.autograd.grad(expected / 7, [states, weight])
    loss = lm_network.ProjectedLoss.apply(states, weight, targets)
    got = torch.autograd.grad(loss / 7, [states, weight])
    assert float(loss.detach()) == pytest.approx(float(expected.detach()), rel=1e-6)
    for one, other in zip(wanted, got, strict=True):
        torch.testing.assert_close(one, other)


def test_the_rate_rises_stays_and_falls() -> None:
    assert rate_factor(0, 0.0) == 0
    assert rate_factor(500_000, 0.001) == pytest.approx(0.5)
    assert rate_factor(2_000_000, 0.3) == 1
    assert rate_factor(2_000_000, 0.7) == pytest.approx(1)
    assert rate_factor(2_000_000, 0.85) == pytest.approx(0.5)
    assert rate_factor(2_000_000, 1.0) == 0
    assert rate_factor(100, 0.1) == 1  # a small budget rises over its first tenth


def _arguments(corpus: Path, folder: Path, data: Path) -> list[str]:
    options = {k.replace("_", "-"): str(v) for k, v in TINY.items()}
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [
        "train", "language-model", "--kind", "clm", "--corpus", str(corpus),
        "--output", str(folder), "--data", str(data), "--device", "cpu", "--threads", "1", *given,
    ]  # fmt: skip


def test_the_command_trains_and_continues(
    corpus: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = _arguments(corpus, tmp_path / "m", data)
    assert main([*arguments, "--tokens", str(50 * STEP)]) == 0
    out = capsys.readouterr().out
    assert "100.0%" in out
    assert "Finished" in out
    assert main([*arguments, "--tokens", str(50 * STEP)]) == 1
    assert "--resume" in capsys.readouterr().err
    assert main([*arguments, "--tokens", str(51 * STEP), "--resume"]) == 0
    arguments[3] = "seq2seq"
    assert main([*arguments, "--tokens", "5"]) == 1
    assert "clm, mlm" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_and_ends_the_command(
    number: signal.Signals,
    corpus: Path,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = iter(range(3))

    def and_a_signal(*arguments: Any) -> Any:
        if next(taken, None) is None:
            os.kill(os.getpid(), number)
        return blocks(*arguments)

    assert threading.current_thread() is threading.main_thread()
    before = signal.getsignal(number)
    monkeypatch.setattr("biaslab_train.language_models.training.blocks", and_a_signal)
    arguments = _arguments(corpus, tmp_path / "m", data)
    assert main([*arguments, "--hours", "5"]) == 0
    assert "Stopped. Repeat the command with --resume" in capsys.readouterr().out
    assert read_about(tmp_path / "m" / "work" / "checkpoint.safetensors")[0]["step"] == 4
    assert signal.getsignal(number) is before
