"""The container is built of files that are there, by hash, and starts a command that is there."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from biaslab.cli import parsed
from locked import LOCK, locked

READS = (".dockerignore", "Dockerfile", "hosting", "locks", "pyproject.toml", "tools/locked.py")

ROOT = Path(__file__).resolve().parents[2]
STEPS = [
    (step.partition(" ")[0], step.partition(" ")[2].strip())
    for step in re.sub(r" *\\\n *", " ", (ROOT / "Dockerfile").read_text("utf-8")).splitlines()
    if step and not step.startswith("#")
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


ON_A_SPACE = "--behind-proxy --allow-origin a-b.example --allow-frame https://huggingface.co"


def of(name: str) -> list[str]:
    return [rest for step, rest in STEPS if step == name]


def test_every_file_that_is_copied_is_there_and_is_let_in() -> None:
    rules = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {rule[1:] for rule in rules if rule.startswith("!")}
    for line in of("COPY"):
        *sources, _ = line.split()
        if sources[0].startswith("--from="):
            continue
        for source in sources:
            assert (ROOT / source).exists(), source
            assert source.split("/")[0] in let_in, source
    assert all((ROOT / name).exists() for name in let_in)
    built = (
        "widgets/biaslab_widgets/static/rating.js",
        "js/node_modules/x",
        "biaslab/__pycache__/x",
    )
    shut = [rule.replace("**/", "*") for rule in rules if rule and rule[0] not in "#!"][1:]
    assert all(any(fnmatch(one, f"{rule}*") for rule in shut) for one in built)


def test_bases_are_pinned_and_nothing_is_fetched_by_address_or_at_run_time() -> None:
    bases = {base.split()[0] for base in of("FROM")}
    (base,) = bases
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert not of("ADD")
    assert not any("://" in line and "127.0.0.1" not in line for _, line in STEPS)
    assert "HF_HUB_OFFLINE=1" in " ".join(of("ENV"))
    names = [step for step, _ in STEPS]
    final = names[len(names) - names[::-1].index("FROM") :]
    assert final.index("USER") < final.index("ENTRYPOINT")
    extras = {rest.partition("=")[2] for rest in of("ARG") if rest.startswith("EXTRAS=")}
    assert extras <= set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        ("", {}, "--port 7860 --allow-anyone --max-run 5 --disk-per-person 0.2 --keep-visitors 7"),
        ("--auth basic:u.json", {"PORT": "80"}, "--port 80 --auth basic:u.json"),
        (
            "--allow-anyone",
            {"SPACE_HOST": "a-b.example"},
            f"--port 7860 --allow-anyone {ON_A_SPACE}",
        ),
    ],
)
def test_it_starts_the_app_with_options_that_it_has(
    tmp_path: Path, arguments: str, variables: dict[str, str], expected: str
) -> None:
    assert PROJECT["scripts"]["biaslab"]
    shown = tmp_path / "biaslab"
    shown.write_text('#!/bin/sh\necho "$@"\n')
    shown.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "hosting" / "serve.sh"), *arguments.split()],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", **variables},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == f"serve --address 0.0.0.0 {expected}"
    options = parsed(done.stdout.split())
    assert not options.allow_service
    assert not options.use_own_keys


def test_a_space_finds_its_settings() -> None:
    _, settings, text = (ROOT / "hosting" / "README.md").read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(settings)
    assert (told["sdk"], told["license"]) == ("docker", PROJECT["license"].lower())
    assert str(told["app_port"]) in of("EXPOSE")
    assert len(told["short_description"]) <= 60
    assert text.startswith("\n# biaslab\n")


def test_an_installation_takes_its_hashes_from_the_lock() -> None:
    def report(**versions: str) -> str:
        found = [{"metadata": {"name": k, "version": v}} for k, v in versions.items()]
        return json.dumps({"install": found})

    lock = LOCK.read_text("utf-8")
    version = re.search(r"^sqlalchemy==(\S+)", lock, re.MULTILINE)
    assert version
    text = locked(report(SQLAlchemy=version[1], biaslab="0"), lock)
    assert text.startswith(f"sqlalchemy=={version[1]} \\\n    --hash=sha256:")
    assert text.count("==") == 1
    with pytest.raises(SystemExit, match=r"Not in everything\.txt: sqlalchemy 0"):
        locked(report(SQLAlchemy="0"), lock)
