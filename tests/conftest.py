"""Fixtures of every suite."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from biaslab.asking.providers.apertium import INSTALL, ApertiumServer, is_installed
from harness import postgresql
from harness.durations import CpuSeconds, Durations
from harness.failures import Failures
from harness.postgresql import PostgresServer
from harness.scheduling import by_group, longest_first, shuffle_groups
from real import MODELS

# Read when the library is first imported: nothing is fetched from a hub, nor waited for.
os.environ["HF_HUB_OFFLINE"] = "1"

# A shared machine may be slow; what an example takes is for the benchmarks to say. The same code
# meets the same examples every time, so that a failure belongs to the change that it appears in;
# `BIASLAB_EXPLORE=1 make test` looks for new ones.
settings.register_profile("biaslab", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("explore" if os.environ.get("BIASLAB_EXPLORE") else "biaslab")

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of outside data beside the repository; a test that needs it skips without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip("outside data is not here: expected ../shared/data beside the repository")
    return SHARED_DATA


@pytest.fixture(scope="session")
def real_model() -> Callable[[str], Path]:
    """Where a model of tools/real.py lies, by name; a test that needs it skips without it."""

    def place(name: str) -> Path:
        path = MODELS[name].path
        if not path.exists():
            named = f" MODELS={name}" if MODELS[name].on_request else ""
            pytest.skip(f"the model {name} is not here: make real{named}")
        return path

    return place


@pytest.fixture(scope="session")
def apertium_server() -> Iterator[ApertiumServer]:
    """A running apertium-apy, reached on 127.0.0.1; a test that needs it skips where it is not."""
    if not (is_installed() and is_installed("apertium-apy")):
        pytest.skip(f"Apertium and its server are not installed here: {INSTALL}")
    with ApertiumServer() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running PostgreSQL; a test that needs it skips where it is not installed."""
    folder = postgresql.programs()
    if folder is None:
        pytest.skip(f"PostgreSQL is not installed here: {postgresql.INSTALL}")
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed here: pip install 'biaslab[postgresql]'")
    with PostgresServer(folder) as server:
        yield server


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is stored where no other test finds it."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))


@pytest.fixture
def no_other_jobs() -> None:
    """Begin when no job of another test waits or runs, and no thread of one is left behind."""
    from biaslab.jobs.job import abandoned, unfinished
    from harness.server import wait_until

    for job in unfinished():
        job.cancel()
    wait_until(lambda: not unfinished() and not abandoned(), "The end of other tests' jobs")


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask servers without a proxy, and without the key of who runs the tests."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("OPENAI_"):
            monkeypatch.delenv(name)


@pytest.fixture
def closed_widgets() -> Iterator[None]:
    """Close all widgets after the test."""
    import ipywidgets

    yield
    ipywidgets.Widget.close_all()


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Compute in one thread: small models lose more by waiting for another."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def small_heap() -> Iterator[None]:
    """Let a collection look at what the test makes: all libraries together take 0.5 s."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep tests that share pages or fixtures in one process."""
    return by_group(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Count a test of a real model among the long ones."""
    if item.get_closest_marker("real"):
        item.add_marker("validate")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest; `make stress` shuffles those of a group."""
    longest_first(items)
    if (seed := config.getoption("--shuffle")) is not None:
        shuffle_groups(items, seed)


def pytest_collection_finish() -> None:
    """Leave out of every collection of garbage what is there now: a fifth of a second each time."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make durations`, CI and `make stress` ask for."""
    for option, text in (
        ("--durations-table", "write the seconds of each test"),
        ("--failures-table", "append what fails, with the load of the machine"),
    ):
        parser.addoption(option, type=Path, metavar="CSV", help=text)
    parser.addoption("--shuffle", type=int, metavar="SEED", help="shuffle the tests of each group")


def pytest_configure(config: pytest.Config) -> None:
    """Add the plugins that are asked for: of several processes, one writes the tables."""
    table, failures = (config.getoption(f"--{name}-table") for name in ("durations", "failures"))
    hands_out = bool(config.getoption("numprocesses", 0))
    if table is not None and not hands_out:
        config.pluginmanager.register(CpuSeconds())
    if not hasattr(config, "workerinput"):
        if table is not None:
            config.pluginmanager.register(Durations(table))
        if failures is not None:
            config.pluginmanager.register(Failures(failures))
