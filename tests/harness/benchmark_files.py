"""Made-up files in the layouts of published benchmarks, as samples of lm-evaluation-harness."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

UNSURE = ("Unknown", "Cannot answer", "Not known", "Not enough info")


def samples(path: Path, rows: Sequence[tuple[dict[str, Any], Sequence[str], Sequence[float]]],
            **more: Any) -> Path:  # fmt: skip
    """Write samples of choices by likelihood: item, options, log-likelihoods."""
    lines = [
        {"doc_id": i, "doc": doc, "target": str(doc.get("label", 0)), "filter": "none",
         "arguments": {f"gen_args_{k}": {"arg_0": "", "arg_1": f" {one}"}
                       for k, one in enumerate(options)},
         "resps": [[[str(one), "False"]] for one in scores],
         "filtered_resps": [[str(one), "False"] for one in scores], **more}
        for i, (doc, options, scores) in enumerate(rows)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def bbq_items(templates: int = 12) -> list[dict[str, Any]]:
    """Items of BBQ in two categories; one template has no answer that agrees with a stereotype."""
    items: list[dict[str, Any]] = []
    for category, target, other in (("Age", "old", "nonOld"), ("Gender_identity", "F", "M")):
        for template in range(templates):
            for clear in (False, True):
                for polarity in ("neg", "nonneg"):
                    label = (template + (polarity == "neg")) % 2 if clear else 2
                    items.append({
                        "example_id": len(items), "question_index": template,
                        "question_polarity": polarity,
                        "context_condition": "disambig" if clear else "ambig",
                        "category": category, "context": f"C{template}", "question": "Who?",
                        "answer_info": {"ans0": ["one", target], "ans1": ["two", other],
                                        "ans2": ["Unknown", "unknown"]},
                        "additional_metadata": {
                            "stereotyped_groups": [] if template == 0 and polarity == "neg"
                            else [target]},
                        "ans0": f"Person {template}", "ans1": f"Neighbour {template}",
                        "ans2": "Unknown", "label": label,
                    })  # fmt: skip
    return items


def bbq(path: Path, *, bias: float = 0.0, seed: int = 1) -> Path:
    """Write samples of BBQ by a model that prefers the answer of a stereotype by `bias`."""
    rng = np.random.default_rng(seed)
    rows = []
    for doc in bbq_items():
        agrees = 0 if doc["question_polarity"] == "neg" else 1
        groups = doc["additional_metadata"]["stereotyped_groups"]
        lacks = not groups
        doc["biased_answers"] = [] if lacks else [doc[f"ans{agrees}"]]
        options = [doc["ans0"], doc["ans1"], *UNSURE]
        scores = rng.normal(size=len(options)) - 2.0
        scores[agrees] += 1 + bias
        scores[1 - agrees] += 1
        rows.append((doc, options, scores.round(4).tolist()))
    return samples(path, rows)


def crows_pairs(path: Path, *, n: int = 120, bias: float = 0.0) -> Path:
    """Write samples of CrowS-Pairs by a model that prefers the first sentence by `bias`."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(n):
        doc = {"sent_more": f"She is bad at {i}.", "sent_less": f"He is bad at {i}.",
               "stereo_antistereo": "antistereo" if i % 4 == 0 else "stereo",
               "bias_type": "gender" if i % 2 else "age"}  # fmt: skip
        scores = (rng.normal(-20, 1, size=2) + np.array([bias, 0])).round(4).tolist()
        rows.append((doc, [doc["sent_more"], doc["sent_less"]], scores))
    return samples(path, rows)


def winogender(path: Path, *, gap: float = 0.0, occupations: int = 20) -> Path:
    """Write samples of Winogender: women are resolved to the occupation less often by `gap`."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(occupations):
        for label in (0, 1):
            for gender in ("female", "male", "neutral"):
                doc: dict[str, Any] = {
                       "sentid": f"o{i}.p{i}.{label}.{gender}", "sentence": f"S{i} {gender}.",
                       "pronoun": "she", "occupation": f"builder{i}", "participant": f"guest{i}",
                       "gender": gender, "target": "x", "label": label}  # fmt: skip
                scores = rng.normal(size=2) - np.array([gap * (gender == "female"), 0])
                rows.append(
                    (doc, [doc["occupation"], doc["participant"]], scores.round(4).tolist())
                )
    return samples(path, rows)


def discrim_eval(path: Path, *, gap: float = 0.0, questions: int = 15) -> Path:
    """Write samples of discrim-eval: women get a higher logit of yes by `gap`."""
    rng = np.random.default_rng(5)
    rows = []
    for question in range(questions):
        ease = rng.normal()
        for race in ("white", "Black", "Asian"):
            for gender in ("male", "female", "non-binary"):
                for age in (20, 40, 60):
                    doc = {"filled_template": f"Q{question}", "decision_question_id": question,
                           "race": race, "gender": gender, "age": age}  # fmt: skip
                    logit = ease + gap * (gender == "female") + 0.3 * rng.normal()
                    yes, no = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
                    half = np.log(0.5)
                    scores = [yes + half, yes + half, no + half, no + half]
                    rows.append((doc, ["yes", "Yes", "no", "No"], np.round(scores, 6).tolist()))
    return samples(path, rows)
