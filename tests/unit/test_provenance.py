import os
import platform
import subprocess
import sys
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np
import pytest

from biaslab.records.encoding import decode_fields, encode_fields
from biaslab.records.provenance import Provenance, measured, versions

Subject = namedtuple("Subject", "name content_hash device")


class Curve(StrEnum):
    LOGISTIC = "logistic"


def test_notes_what_a_subject_says_of_itself():
    found = Provenance.record(probe="weat", subject=Subject("wiki", "ab12", "cuda:0"), seed=3)
    assert (found.subject, found.subject_hash, found.device) == ("wiki", "ab12", "cuda:0")
    assert (found.probe, found.seed) == ("weat", 3)


def test_a_callable_is_named_and_has_no_hash():
    found = Provenance.record(probe="two_afc", subject=np.arccos)
    assert found.subject_hash is None
    assert found.device == "cpu"
    assert Provenance.record(
        probe="p", subject=test_a_callable_is_named_and_has_no_hash
    ).subject == ("test_a_callable_is_named_and_has_no_hash")


def test_time_is_now_in_utc():
    moment = datetime.fromisoformat(Provenance.record(probe="p", subject="s").time)
    assert moment.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)


def test_a_generator_is_noted_by_its_state_before_the_draw():
    generator = np.random.default_rng(5)
    found = Provenance.record(probe="p", subject="s", seed=generator)
    first = generator.random()
    again = np.random.default_rng()
    seed = found.seed
    assert seed is not None
    assert not isinstance(seed, int)
    again.bit_generator.state = {**seed, "state": dict(seed["state"])}
    assert again.random() == first


def test_parameters_of_any_kind_are_noted_and_frozen():
    alpha = np.linspace(0, 1, 3)
    parameters = {
        "curve": Curve.LOGISTIC,
        "alpha": alpha,
        "terms": ["a", "b"],
        "groups": {"b", "a"},
        "score": np.dot,
        "nested": {"rng": object()},
    }
    found = Provenance.record(probe="p", subject="s", parameters=parameters).parameters
    assert found["curve"] == "logistic"
    assert type(found["curve"]) is str
    assert found["terms"] == ("a", "b")
    assert found["groups"] == ("a", "b")
    assert found["score"] == "dot"
    assert found["nested"]["rng"] == "object"
    alpha[0] = 9
    assert found["alpha"][0] == 0
    with pytest.raises(TypeError):
        found["terms"] = ()


def test_equality_takes_nan_and_arrays():
    one = Provenance(probe="p", subject="s", parameters={"a": np.arange(3)}, time="t")
    two = Provenance(probe="p", subject="s", parameters={"a": np.arange(3)}, time="t")
    other = Provenance(probe="p", subject="s", parameters={"a": np.arange(4)}, time="t")
    assert one == two
    assert hash(one) == hash(two)
    assert one != other


def test_measures_the_seconds_of_a_block(monkeypatch):
    moments = iter([10.0, 11.0, 12.5])
    monkeypatch.setattr("biaslab.records.provenance.time.perf_counter", lambda: next(moments))
    with measured(probe="p", subject="s", seed=1) as run:
        assert run.provenance.seconds == 1.0
    assert run.provenance.seconds == 2.5
    assert run.provenance.seed == 1


def test_a_loaded_heavy_package_is_noted(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", type("gensim", (), {"__version__": "9.9"}))
    assert versions()["gensim"] == "9.9"


def test_a_package_that_is_not_installed_has_an_unknown_version():
    from biaslab.records.provenance import _installed_version

    assert _installed_version("no-such-package-as-this") == "unknown"
    assert versions()["numpy"] == np.__version__


def test_the_kind_of_processor_is_noted_and_no_machine():
    found = Provenance.record(probe="p", subject="s").cpu
    assert found == Provenance.record(probe="p", subject="s").cpu
    kind, *kernels = found.split("; ")
    assert kind.split(", ")[0] in {"x86-64", "arm64", platform.machine().lower()}
    assert any(name.startswith("OpenBLAS ") for name in kernels) or kernels == []
    assert platform.node().lower() not in found.lower()


def test_noting_it_loads_nothing_heavy_and_follows_the_kernel():
    code = (
        "import sys; from biaslab.records.provenance import Provenance as P;"
        "print(P.record(probe='p', subject='s').cpu);"
        "assert not {'torch', 'scipy.stats', 'pandas'} & set(sys.modules)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_CORETYPE": kernel},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernel in ("Haswell", "Prescott")  # which OpenBLAS calls by names of its own
    ]
    assert not any("torch" in one for one in said)
    if "x86-64" in said[0] and "OpenBLAS" in said[0]:
        assert said[0] != said[1]


def test_what_was_stored_before_it_was_noted_still_opens():
    noted = encode_fields(Provenance.record(probe="p", subject="s"))
    del noted["cpu"]
    assert decode_fields(Provenance, noted).cpu == ""
