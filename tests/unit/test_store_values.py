"""Values that the store keeps under keys that name their content."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaslab.errors import StoreError
from biaslab.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def test_kept_values_are_found_by_another_store_on_the_folder(store: Store, tmp_path: Path) -> None:
    store.keep_values("score/1", {"a": "1", "b": "naïve 🙂"})
    again = Store(tmp_path / "home")
    assert again.kept_values("score/1", ["b", "a", "c"]) == {"a": "1", "b": "naïve 🙂"}
    assert again.kept_values("score/2", ["a"]) == {}


def test_nothing_is_created_by_looking(store: Store, tmp_path: Path) -> None:
    assert store.kept_values("score/1", ["a"]) == {}
    assert not (tmp_path / "home").exists()


def test_a_known_key_keeps_its_value(store: Store) -> None:
    store.keep_values("score/1", {"a": "1"})
    store.keep_values("score/1", {"a": "2", "b": "3"})
    assert store.kept_values("score/1", ["a", "b"]) == {"a": "1", "b": "3"}


def test_more_keys_than_one_query_takes(store: Store) -> None:
    many = {f"{i:064d}": str(i) for i in range(2_300)}
    store.keep_values("score/1", many)
    assert store.kept_values("score/1", many) == many


def test_a_damaged_store_says_so(store: Store, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "biaslab.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="left as it"):
        store.kept_values("score/1", ["a"])
