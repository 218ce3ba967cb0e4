"""Treatments: what they change, what they leave, how they are saved, measured and refused."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab import cases
from biaslab.cases import Question
from biaslab.cli import main
from biaslab.deciders import LanguageModelDecider, Reply
from biaslab.errors import CaseError, MissingExtraError, QueryError, SubjectError, WrongSubjectError
from biaslab.jobs.job import JobContext
from biaslab.probes.similarity import Judgements
from biaslab.probes.treatment import (
    INSTRUCTION,
    TreatmentResult,
    halves,
    learning,
    material,
    measure_treatment,
    treating,
)
from biaslab.probes.treatment.material import CaseMaterial
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.treated import TreatedModel, Treatment
from harness import tiny_language_models as tiny
from harness.heavy import torch
from harness.needs import needs
from harness.small_specs import SENTENCES

pytestmark = [needs("torch", "transformers", "peft"), pytest.mark.usefixtures("own_home")]
LEARN, UNSEEN = halves("hire-by-name")
SHORT: dict[str, dict[str, Any]] = {
    "prompt": {"instruction": "Judge all alike."},
    "concept erasure": LEARN,
    "fine-tuning": {**LEARN, "steps": 2, "rank": 2},
}
QUESTION = cases.get("hire-by-name").ask(cases.get("hire-by-name").groups[1].cues[1], 7.0)


@pytest.fixture(scope="module")
def clerk() -> Any:
    return bl.load("clerk-lm", device="cpu")


@pytest.fixture(autouse=True)
def few_contrasts(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("validate") is None:
        monkeypatch.setattr(treating, "_CONTRASTS", 12)
        monkeypatch.setattr(learning, "BATCH", 4)
        monkeypatch.setattr(material, "_MOST_PRESERVED", 16)


def _answer(lm: Any) -> tuple[float, ...]:
    return LanguageModelDecider(lm).decide([QUESTION], JobContext())[0].probabilities


# Treated models


@pytest.mark.parametrize("method", list(SHORT))
def test_a_treated_model_is_saved_and_opened_with_the_same_answers(
    clerk: Any, method: Any, tmp_path: Path
) -> None:
    before, hash_before = _answer(clerk), clerk.content_hash
    treated = bl.treat(clerk, method, **SHORT[method])
    treated.save(tmp_path / "treated")
    opened: Any = bl.load(tmp_path / "treated", device="cpu")
    assert _answer(opened) == pytest.approx(_answer(treated), abs=1e-6)
    assert _answer(treated) != pytest.approx(before, abs=1e-6)
    assert _answer(clerk) == before
    assert opened.content_hash == treated.content_hash != hash_before == clerk.content_hash
    assert opened.treatment == treated.treatment
    assert opened.model_facts.adapter == treated.treatment.about
    assert bl.subjects.inspect(tmp_path / "treated").kind == "clm"
    opened.save(tmp_path / "again")
    assert bl.load(tmp_path / "again", kind="clm").content_hash == treated.content_hash


def test_fine_tuning_follows_its_seed_and_touches_no_global_one(clerk: Any) -> None:
    state = torch.get_rng_state()
    one, same, other = (bl.treat(clerk, "fine-tuning", **SHORT["fine-tuning"], rng=seed)
                        for seed in (1, 1, 2))  # fmt: skip
    assert one.content_hash == same.content_hash != other.content_hash
    assert torch.equal(state, torch.get_rng_state())


def test_after_erasure_no_mean_state_tells_the_group(clerk: Any) -> None:
    case = cases.get("hire-by-name")
    made = CaseMaterial.of(clerk, case, None, None, None, within=False, is_of_one=True)
    rng = np.random.default_rng(1)
    contrasts = [made.contrast(rng) for _ in range(12)]
    texts = [version for one in contrasts for version in one.versions]
    starts = [one.start for one in contrasts for _ in one.versions]
    treatment = Treatment("concept erasure", clerk.name, "", {}, "a test")
    treated = TreatedModel(clerk, treatment, model=copy.deepcopy(clerk.model))

    def apart() -> float:
        states = learning._states(treated, texts, 1)
        own = [each[start:] for each, start in zip(states, starts, strict=True)]
        means = [np.concatenate(own[group::2]).mean(0) for group in (0, 1)]
        return float(np.abs(means[1] - means[0]).max())

    before = apart()
    treated.add(learning.learn_edit(treated, contrasts, [], 1, None))
    assert apart() < 1e-4 * before
    treated.add(treated.edits[0])  # twice is as once
    assert apart() < 1e-4 * before


def test_a_placebo_of_fine_tuning_equalises_cues_of_one_group(clerk: Any) -> None:
    case = cases.get("hire-by-name")
    made = CaseMaterial.of(clerk, case, None, None, None, within=True, is_of_one=False)
    groups = [{cue.text for cue in group.cues} for group in case.groups]
    for seed in range(20):
        named = " ".join(one.prompt for one in made.questions(np.random.default_rng(seed)))
        assert sum(bool(own & set(re.findall(r"\w+", named))) for own in groups) == 1


def test_masked_models_are_erased_by_texts_and_read_an_instruction() -> None:
    lm = LanguageModel.of(*tiny.bert(), kind="mlm")
    texts = [("She is a person.", "He is a person."), ("Her work is good.", "His work is good.")]
    erased = bl.treat(lm, "concept erasure", texts=texts, layers=[0, 1])
    assert [edit.layer for edit in erased.edits] == [0, 1]
    treated = bl.treat(lm, "prompt", instruction="This is a woman.")
    tokens, plain = treated.tokenize("He is a man."), lm.tokenize("He is a man.")
    written = lm.tokenizer.tokenize("This is a woman.")
    assert tokens.tokens == ("[CLS]", *written, *plain.tokens[1:])
    assert [tokens.tokens[at] for at in tokens.own] == [plain.tokens[at] for at in plain.own]


def test_services_and_functions_read_the_instruction_first() -> None:
    seen: list[str] = []

    def invite(text: str) -> str:
        seen.append(text)
        return "INVITE"

    service = bl.treat(bl.services.FunctionService(invite), "prompt", instruction="Be fair.")
    assert bl.decisions(service, levels=3, trials=6, keep=False).counts()["answered"] == 6
    decider = bl.treat(invite, "prompt", instruction="Be fair.")
    bl.decisions(decider, levels=3, trials=6, keep=False)
    assert len(seen) == 12
    assert all(text.startswith("Be fair.\n\n") for text in seen)
    placebo = bl.treat(invite, "prompt", placebo=True)
    assert placebo.instruction != INSTRUCTION
    assert len(placebo.instruction.split()) == len(INSTRUCTION.split())


# Measured


class Obeying:
    """A decider with a gap of 2 years, unless an instruction forbids it."""

    name, about, identity, gives_probabilities, at_once = "obeying", "", "", True, 64

    def decide(self, questions: Sequence[Question], _: JobContext) -> list[Reply]:
        """Answer by the years, and by the name unless an instruction stands before."""
        second = [cue.text for cue in cases.get("hire-by-name").groups[1].cues]
        replies = []
        for one in questions:
            found = re.search(r"([\d.]+) years?", one.prompt)
            level = float(found[1]) if found else 7.0
            point = 8.0 if any(name in one.prompt for name in second) else 6.0
            point = 7.0 if one.prompt.startswith(INSTRUCTION) else point
            yes = 0.02 + 0.96 / (1 + math.exp(point - level))
            shares = (yes, 1 - yes) if one.options[0] == "INVITE" else (1 - yes, yes)
            best = one.options[int(shares[1] > shares[0])]
            replies.append(Reply(outcome="answered", answer=best, probabilities=shares, mass=1.0))
        return replies


def test_a_known_effect_is_measured_and_the_placebo_shows_none() -> None:
    subject: Any = Obeying()
    treated = bl.treat(subject, "prompt")
    result = measure_treatment(subject, treated, trials=144, placebos=2, tasks=10, keep=False)
    assert result.bias.before == pytest.approx(2, abs=0.05)
    assert result.bias.after == pytest.approx(0, abs=0.05)
    assert result.bias.excludes_null
    assert result.bias.interval.high < -1.8
    assert [one.placebo for one in result.placebos] == [1, 2]
    assert not any(one.excludes_null for one in result.placebos)
    words = " ".join(result.verdict())
    assert "The gap in years goes from 2.00 to" in words
    assert "2 placebos change it by 0.00 on average (0.00 to 0.00): no clear change" in words
    assert result.exceeds_placebos
    as_large = replace(result.changes[1], change=-2.5)
    doubtful = replace(result, changes=(result.changes[0], as_large))
    assert "A random treatment does as much" in " ".join(doubtful.verdict())
    assert "A random treatment" not in words
    change = bl.compare(result.before, result.after).totals[0].difference
    assert change == pytest.approx(result.bias.change)
    assert TreatmentResult.from_json(result.to_json()) == result
    assert len(result.to_frame()) == len(result.changes)
    assert "placebo 1" in result.to_svg()
    assert {one.role for one in result.dropped} == {"task"}  # it knows one case only


def test_costs_are_those_of_the_model_before_and_after(clerk: Any) -> None:
    treated = bl.treat(clerk, "concept erasure", **LEARN)
    texts = ["We are filling a post.", "Which one do we support?", "Decide on the application."]
    result = measure_treatment(
        clerk, treated, trials=64, tasks=30, placebos=0, held_out=texts, keep=False, **UNSEEN
    )
    of_texts, of_replies = result.of("perplexity")
    losses = []
    for text in texts:
        tokens = clerk.tokenize(text)
        with torch.no_grad():
            logits = clerk.model(torch.tensor([tokens.ids.tolist()])).logits[0].log_softmax(-1)
        losses += [-float(logits[at - 1, tokens.ids[at]]) for at in tokens.own]
    assert of_texts.before == pytest.approx(np.exp(np.mean(losses)), rel=1e-4)
    for cost in (of_texts, of_replies):
        assert cost.change == pytest.approx(cost.after / cost.before - 1)
        assert cost.interval.low <= cost.change <= cost.interval.high
    (accuracy,) = result.of("accuracy")
    assert accuracy.before > 0.9
    assert "Cost: accuracy" in result.summary()


def test_an_embedding_is_treated_by_a_spec_with_its_similarity_as_cost(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    words = ["man", "he", "woman", "she", "science", "engineer", "family", "nurse"]
    words += [f"word{k}" for k in range(60)]
    vectors = rng.standard_normal((len(words), 12)).astype(np.float32)
    vectors[[0, 1, 4, 5], 0] += 3
    vectors[[2, 3, 6, 7], 0] -= 3
    subject = bl.WordEmbedding(words, vectors, name="toy")
    (tmp_path / "small.toml").write_text(SENTENCES, encoding="utf-8")
    spec = bl.specs.get(tmp_path / "small.toml")
    treated = bl.treat(subject, "concept erasure", spec=spec)
    pairs = Judgements("toy pairs", tuple(words[8:48]), tuple(words[20:60]), rng.random(40))
    result = measure_treatment(subject, treated, bl.weat, spec=spec, similarity=pairs)
    assert abs(result.bias.after) < 0.5 * abs(result.bias.before)
    assert abs(result.placebos[0].change) < 0.3 * abs(result.bias.change)
    interval = result.of("similarity", 0)[0].interval
    assert interval.low < 0 < interval.high


# Refused


@pytest.mark.parametrize(
    ("method", "how", "error", "message"),
    [
        ("hypnosis", {}, ValueError, "choose one of prompt"),
        ("prompt", {"layers": 1}, QueryError, "'prompt' takes no layers: leave it out"),
        ("prompt", {"instruction": " "}, QueryError, "instruction is empty"),
        ("concept erasure", {"layers": 9}, SubjectError, "has no layer 9: choose from 0"),
        ("concept erasure", {"layers": []}, QueryError, "layers is empty"),
        ("concept erasure", {"spec": "weat-6"}, QueryError, "spec belongs to embeddings"),
        ("concept erasure", {"texts": [("a", "b")]}, QueryError, "two or more versions"),
        ("concept erasure", {"texts": [("we", "we"), ("we", "a")]}, QueryError, "are the same"),
        ("concept erasure", {"texts": [("A", "B")] * 2, "case": "loan"}, QueryError, "not by both"),
        ("fine-tuning", {"steps": 0}, QueryError, "steps=0: give a number above 0"),
        ("fine-tuning", {"cues": {"nobody": ["x"]}}, CaseError, "has no group 'nobody'"),
        ("fine-tuning", {"wordings": [9]}, CaseError, "has the wordings 1 to 4"),
        ("fine-tuning", {"preserve": "text"}, QueryError, "preserve is a list of texts"),
    ],
)
def test_bad_input_names_the_remedy(
    clerk: Any, method: Any, how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        bl.treat(clerk, method, **how)


def test_what_can_only_be_called_or_trained_otherwise_is_refused(
    clerk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WrongSubjectError, match="or use method='prompt'"):
        bl.treat(bl.services.FunctionService(str.upper), "fine-tuning")
    masked = LanguageModel.of(*tiny.bert(), kind="mlm")
    with pytest.raises(SubjectError, match="masked language model"):
        bl.treat(masked, "fine-tuning")
    with pytest.raises(QueryError, match=r"answers no questions\. Give texts"):
        bl.treat(masked, "concept erasure")
    with pytest.raises(SubjectError, match="Save the model first"):
        bl.treat(masked, "prompt").save("nowhere")
    with pytest.raises(WrongSubjectError, match=r"measures what bl\.treat returned"):
        measure_treatment(clerk, clerk)
    with pytest.raises(WrongSubjectError, match="reads no instruction"):
        bl.treat(bl.load({"a": [1.0], "b": [0.0]}), "prompt")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "peft" else found(name)
    )
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[lm\]'"):
        bl.treat(clerk, "fine-tuning")


def test_a_damaged_folder_or_another_base_is_refused(clerk: Any, tmp_path: Path) -> None:
    bl.treat(clerk, "concept erasure", **LEARN).save(tmp_path)
    card = tmp_path / "treatment.json"
    whole = json.loads(card.read_text(encoding="utf-8"))
    for field, value, message in (
        ("base_hash", "0" * 64, "its base clerk-lm has changed"),
        ("kind", "vlm", r"treatment\.json is damaged"),
        ("base", str(tmp_path), r"treatment\.json is damaged"),
        ("version", 2, "Update biaslab"),
    ):
        card.write_text(json.dumps({**whole, field: value}), encoding="utf-8")
        with pytest.raises(SubjectError, match=message):
            bl.load(tmp_path)
    card.write_text(json.dumps(whole), encoding="utf-8")
    (tmp_path / "erasure.safetensors").write_bytes(b"nothing")
    with pytest.raises(SubjectError, match=r"erasure\.safetensors is damaged"):
        bl.load(tmp_path)


def test_the_command_treats_measures_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["treat", "clerk-lm", "--method", "concept erasure", "--layers", "0"]
    assert (
        main(
            [
                *arguments,
                "--trials",
                "48",
                "--tasks",
                "12",
                "--placebos",
                "0",
                "--output",
                str(tmp_path / "out"),
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "The gap in years goes from" in printed
    assert "Written to" in printed
    opened: Any = bl.load(tmp_path / "out")
    assert opened.name == "clerk-lm, treated by concept erasure"
    assert main(["treat", "clerk-lm", "--layers", "1"]) == 1
    assert "takes no layers" in capsys.readouterr().err


# A planted gap of two years, treated by other names and wordings than those of the measurement


@pytest.mark.validate
@pytest.mark.parametrize(("learn", "unseen"), [([1, 2], [3, 4]), ([3, 4], [1, 2])])
@pytest.mark.parametrize(("method", "most"), [("concept erasure", 0.3), ("fine-tuning", 0.8)])
def test_a_planted_gap_goes_on_unseen_cues_and_wordings(
    clerk: Any, method: Any, most: float, learn: list[int], unseen: list[int]
) -> None:
    hire, loan = cases.get("hire-by-name"), cases.get("loan")
    groups = [
        replace(one, cues=other.cues) for one, other in zip(hire.groups, loan.groups, strict=True)
    ]
    case = replace(hire, name="hire-by-other-names", groups=tuple(groups))
    kept = ["hire-by-origin-and-gender", "promotion", "referral", "moderation", "rent"]
    treated = bl.treat(clerk, method, case, wordings=learn, preserve=kept)
    few: Any = {"trials": 288, "placebos": 0, "keep": False}
    for form in ("yes or no", "which of two"):
        result = measure_treatment(clerk, treated, form=form, wordings=unseen, **few)
        assert result.bias.before == pytest.approx(2, abs=0.15)
        assert abs(result.bias.after) <= most
        assert result.of("perplexity")[0].change <= 0.02
        fair = measure_treatment(clerk, treated, case="scholarship", form=form, tasks=0, **few)
        assert abs(fair.bias.change) <= 0.03


@pytest.mark.validate
def test_random_directions_change_nothing_on_average(clerk: Any) -> None:
    treated = bl.treat(clerk, "concept erasure", **LEARN)
    result = measure_treatment(
        clerk, treated, placebos=20, tasks=0, trials=288, keep=False, **UNSEEN
    )
    assert 0 in result.placebo_mean
    assert result.exceeds_placebos
