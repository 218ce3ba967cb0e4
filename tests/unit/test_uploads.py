"""Unfinished uploads take no more memory than they may, and go with their session."""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import ImageError, MemoryBudgetError, SubjectError, WriteError
from biaslab.jobs.memory import MemoryBudget
from biaslab.people import disk
from biaslab.people.access import Access, Role, acting_as
from biaslab.store import Store
from biaslab_widgets.app.library.uploaded_files import UploadedFiles
from biaslab_widgets.benches.images.bench import ImageController
from biaslab_widgets.benches.images.subjects import vision_sources
from biaslab_widgets.core.bench import uploads
from biaslab_widgets.core.bench.uploads import Uploads
from biaslab_widgets.core.state.fields import TooLargeError
from harness.emitted import Emitted, observers

PIECE = b"x" * 1000
SENT = base64.b64encode(PIECE).decode()


def held(budget: MemoryBudget, largest_mb: float = 1, owner: str = "") -> Uploads:
    with acting_as(Access(owner)):
        return Uploads(largest_mb, budget)


def send(to: Uploads, name: str, part: int = 0, content: Any = SENT) -> str:
    return to.take({"parcel": name, "part": part}, content)


def test_a_person_has_a_total_and_what_it_refuses_is_let_go() -> None:
    budget = MemoryBudget(10_000, 3000)
    one, other, bens = held(budget), held(budget), held(budget, owner="ben")
    send(one, "a")
    send(one, "b")
    send(other, "c")
    with pytest.raises(MemoryBudgetError, match="left for you on this server"):
        send(one, "d")
    assert (one.size, budget.size) == (2000, 3000)
    send(bens, "a")
    with pytest.raises(MemoryBudgetError):
        send(one, "a", 1)
    assert one.size == 1000
    send(one, "d")


def test_a_process_has_a_total_and_an_upload_that_was_left_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = MemoryBudget(2000)
    first, second, third = held(budget), held(budget), held(budget)
    send(first, "a")
    send(second, "a")
    with pytest.raises(MemoryBudgetError, match="left for everybody together"):
        send(third, "a")
    assert budget.size == 2000
    monkeypatch.setattr(uploads, "STALE_S", -1.0)
    send(third, "a")
    assert budget.size == third.size == 1000


def test_the_size_is_counted_before_the_content_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[Any] = []

    def note(content: Any, _name: str) -> bytes:
        decoded.append(content)
        return b""

    monkeypatch.setattr(uploads, "decoded", note)
    one = held(MemoryBudget(500))
    with pytest.raises(MemoryBudgetError):
        send(one, "a")
    small = held(MemoryBudget(), largest_mb=0.0005)
    with pytest.raises(ImageError, match="at most"):
        send(small, "a")
    with pytest.raises(ImageError, match="at most"):
        small.whole({"name": "a", "content": SENT})
    assert decoded == []
    assert one.size == small.size == 0


def test_a_file_of_exactly_the_largest_size_is_taken() -> None:
    one = held(MemoryBudget(), largest_mb=0.001)
    assert send(one, "a") == "1,000 bytes have arrived."
    assert one.whole({"parcel": "a"}) == PIECE
    assert one.whole({"content": SENT}) == PIECE
    assert one.size == 0


def test_what_a_session_has_not_finished_goes_with_it() -> None:
    bench = ImageController(vision_sources(["portrait-clip"]), Emitted())
    sent = bench.materials.uploads
    send(sent, "a")
    assert sent.size == 1000
    bench.close()
    assert sent.size == 0
    with pytest.raises(ImageError):
        send(sent, "b")
    assert sent.size == 0


def test_a_piece_that_is_no_piece_is_refused_unread() -> None:
    bench = ImageController(vision_sources(["portrait-clip"]), Emitted())
    args = {"parcel": "a", "part": 0, "content": "x" * 8_000_000}
    with pytest.raises(TooLargeError):
        bench.change({"command": {"id": 1, "name": "upload-part", "args": args}})
    assert bench.materials.uploads.size == 0
    bench.close()


def test_a_visitor_has_a_total_on_the_disk_and_the_disk_keeps_some_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_limits", disk.DiskLimits(1500, 2500))
    files = UploadedFiles()
    with acting_as(Access("anna", Role.VISITOR, tmp_path / "users" / "anna")):
        assert files.take("ab" * 8, "a.txt", 0, PIECE) == 1000
        with pytest.raises(WriteError, match=r"one person may keep .* on this server"):
            files.take("cd" * 8, "b.txt", 0, PIECE)
        assert files.path("ab" * 8).read_bytes() == PIECE
        with pytest.raises(SubjectError, match="did not arrive"):
            files.path("cd" * 8)
        files.discard("ab" * 8)
        assert files.take("ab" * 8, "a.txt", 0, PIECE) == 1000
    with acting_as(Access("ben", Role.VISITOR, tmp_path / "users" / "ben")):
        assert files.take("ab" * 8, "a.txt", 0, PIECE) == 1000
    with acting_as(Access("cora", Role.VISITOR, tmp_path / "users" / "cora")):
        with pytest.raises(WriteError, match="All people's runs and files together"):
            files.take("ab" * 8, "a.txt", 0, PIECE)
        monkeypatch.setattr(disk, "_limits", disk.DiskLimits())
        monkeypatch.setattr(disk, "FREE", 1e18)
        with pytest.raises(WriteError, match="nearly full"):
            files.take("cd" * 8, "b.txt", 0, PIECE)


def test_a_full_folder_keeps_runs_out_until_some_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = bl.two_afc(observers(), ["nurse"], [("woman", "man")])
    home = tmp_path / "users" / "anna"
    with acting_as(Access("anna", Role.VISITOR, home)):
        store = Store(home)
        run = store.save(result)
        disk.measure_again()
        monkeypatch.setattr(disk, "_limits", disk.DiskLimits(disk.size_of(home)))
        with pytest.raises(WriteError, match="Delete runs on the page Runs"):
            store.save(result)
        store.delete(run)
        monkeypatch.setattr(disk, "_limits", disk.DiskLimits(2 * disk.size_of(home)))
        assert store.save(result)


def test_folders_of_visitors_who_stay_away_are_deleted(tmp_path: Path) -> None:
    now = time.time()
    for kind, name, days in (
        ("visitors", "gone", 31), ("visitors", "back", 31), ("visitors", "here", 31),
        ("visitors", "new", 1), ("users", "anna", 400),
    ):  # fmt: skip
        folder = tmp_path / kind / name
        folder.mkdir(parents=True)
        (folder / "biaslab.sqlite").write_bytes(b"")
        for path in (folder / "biaslab.sqlite", folder):
            os.utime(path, (now, now - days * 86400))
    disk.mark_used(tmp_path / "visitors" / "back")
    assert disk.expire_visitors(tmp_path, {"here"}, 30) == 1
    assert {path.name for path in tmp_path.glob("*/*")} == {"back", "here", "new", "anna"}
