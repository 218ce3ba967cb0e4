"""Pictures of the image bench: drawn, uploaded, kept, taken out, packed; nothing is ever lost."""

from __future__ import annotations

import base64
import gc
import io
import json
import shutil
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

import biaslab as bl
from biaslab.asking import endpoint
from biaslab.errors import ImageError, QueryError
from biaslab.images import ImageSet, kept_images
from biaslab.images.opening import png
from biaslab.jobs.job import JobGroup
from biaslab_widgets.benches.images import set as images_set
from biaslab_widgets.benches.images.set import PictureSet
from biaslab_widgets.benches.images.sources import PictureFiles
from harness.emitted import PATIENCE_S
from harness.image_controller import LISTS, TERMS, Bench, file, noise, noises, picture_file
from harness.scripted_model_server import Scripted, scripted_server

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _alone(own_home: None, bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_wait", lambda seconds, context: None)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def drawn(bench: Bench) -> list[dict[str, Any]]:
    """The pictures on the screen once those of the first sight are drawn."""
    bench.answer(step=2)
    bench.made()
    rows: list[dict[str, Any]] = bench.state["images"]["images"]
    return rows


# Drawn ones.


def test_portraits_are_drawn_when_step_2_is_opened_and_come_one_after_the_other() -> None:
    bench = Bench(images=None)
    bench.answer()
    assert bench.ids == []
    bench.answer(per_term=3)
    rows = drawn(bench)
    assert bench.counts() == dict.fromkeys(TERMS, 3)
    assert bench.state["making"]["message"] == "12 portraits drawn."
    assert "nurse" in rows[0]["alt"]
    expected = bl.images.drawn_images(TERMS, per_term=3)
    assert [i.hash for i in bench.controller.materials.image_set()] == [i.hash for i in expected]
    assert expected.notes[0] in bench.state["images"]["notes"]
    assert bench.state["answer"]["steps"][1]["note"] == "12 portraits drawn, 0 removed"


def test_portraits_that_wait_for_their_turn_are_said_to_be_in_line() -> None:
    free = threading.Event()
    JobGroup("another bench").start_light(lambda context=None: free.wait(PATIENCE_S))
    bench = Bench(images=None)
    bench.answer(per_term=3, step=2)
    assert bench.state["answer"]["steps"][2]["why"].startswith("The pictures are in line")
    assert bench.state["making"]["message"] == "in line: drawing portraits"
    free.set()
    bench.made()
    assert bench.state["answer"]["steps"][2]["state"] == "open"


def test_a_stored_run_waits_for_its_portraits_once() -> None:
    first = Bench(images=None)
    first.answer(per_term=3, step=2)
    first.made()
    first.tested()
    result = first.controller.result
    bench = Bench(images=None)
    bench.answer(per_term=3, step=3)
    assert bench.controller.take_stored(result)
    bench.made()
    assert bench.until(lambda p: p["run"]["done"] == 12)["run"]["untested"] == 0
    assert bench.controller.result.score == pytest.approx(result.score)
    # Later on, others are drawn beside the result.
    assert bench.reply("remove", ids=bench.ids[:1])["ok"]
    seen = len(bench.emitted.log)
    assert bench.reply("draw", per_term=5)["ok"]
    bench.made()
    states = [o["answer"]["state"] for o in bench.emitted.log[seen:] if "answer" in o]
    assert set(states) == {"ready"}


def test_drawing_again_adds_what_is_missing_and_keeps_what_is_there() -> None:
    bench = Bench(images=None)
    bench.answer(per_term=2)
    before = [row["id"] for row in drawn(bench)]
    assert bench.reply("draw", terms=["male chef"], per_term=4)["ok"]
    bench.made()
    assert bench.counts() == {**dict.fromkeys(TERMS, 2), "male chef": 4}
    assert set(before) <= set(bench.ids)
    assert "already" in bench.reply("draw", terms=["male chef"], per_term=4)["message"]


def test_a_new_term_is_drawn_and_an_old_one_comes_back_with_its_pictures() -> None:
    bench = Bench(images=None)
    bench.answer(per_term=2)
    drawn(bench)
    bench.reply("remove", ids=bench.ids[:1])
    other = [{**LISTS[0], "terms": ["female nurse", "female pilot"]}, *LISTS[1:]]
    bench.answer(lists=other)
    bench.made()
    assert bench.counts()["female pilot"] == 2
    bench.answer(lists=LISTS)
    assert bench.counts() == {**dict.fromkeys(TERMS, 2), "female nurse": 1}
    assert [row["term"] for row in bench.rejected] == ["female nurse"]


def test_what_cannot_be_drawn_says_what_can() -> None:
    lists = [{**LISTS[0], "terms": ["female wizard", "female chef"]}, *LISTS[1:]]
    bench = Bench(spec=lists, images=None)
    bench.answer(per_term=1)
    drawn(bench)
    assert bench.counts()["female wizard"] == 0
    remark = next(t for t in bench.state["images"]["terms"] if t["name"] == "female wizard")
    assert not remark["drawable"]
    assert "Draw, generate or upload" in remark["remark"]
    assert "firefighter" in bench.refused("draw", terms=["female wizard"])
    assert not bench.reply("draw", terms=["no such term"])["ok"]


def test_a_test_may_begin_while_portraits_are_drawn() -> None:
    bench = Bench(images=None)
    bench.controller.change({"per_term": 2})
    picture = bench.tested()
    assert picture["models"][0]["overall"]["images"] == 8


def test_stopped_drawing_keeps_what_is_there() -> None:
    bench = Bench(images=None)
    bench.answer(step=2, per_term=1000)
    bench.emitted.until(lambda s: len(s["images"]["images"]) > 0)
    assert not bench.reply("draw")["ok"]
    assert bench.reply("cancel-making")["ok"]
    bench.made()
    assert 0 < len(bench.ids) < 4000


# Uploads.


def test_an_upload_stands_under_its_term_with_what_was_changed(bench: Bench) -> None:
    bench.answer(step=2)
    one = picture_file("a.png", 1)
    reply = bench.reply(
        "upload",
        term="male chef",
        files=[
            {**one, "description": "A man at a stove"},
            picture_file("b.jpg", 2, "JPEG", "CMYK"),
        ],
    )
    assert reply["ok"]
    assert "2 pictures added" in reply["message"]
    assert bench.counts()["male chef"] == 10
    rows = bench.state["images"]["images"][-2:]
    assert rows[0]["alt"] == "A man at a stove"
    assert "CMYK" in rows[1]["remark"]
    assert bench.controller.snapshot().command["args"] == {"term": "male chef"}
    again = bench.reply("upload", term="male chef", files=[one])
    assert "already there" in again["message"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("note.txt", b"This is no picture.", "not a readable picture"),
        ("half.png", png(noise("", 3, 64).picture())[:400], "damaged or incomplete"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_what_is_no_usable_picture_is_told_and_nothing_is_lost(
    bench: Bench, name: str, content: bytes, told: str
) -> None:
    bench.answer(step=2)
    before = bench.ids
    assert told in bench.refused("upload", term="male chef", files=[file(name, content)])
    assert bench.ids == before
    assert [row["name"] for row in bench.rejected] == [name]
    assert told in bench.rejected[0]["reason"]
    bench.reply("clear-rejected")
    assert bench.rejected == []


def test_a_file_that_comes_in_pieces_is_put_together(bench: Bench) -> None:
    content = png(noise("", 9, 200).picture())
    pieces = [content[i : i + 50_000] for i in range(0, len(content), 50_000)]
    assert len(pieces) > 1
    for part, piece in enumerate(pieces):
        sent = base64.b64encode(piece).decode()
        assert bench.reply("upload-part", parcel="p", part=part, content=sent)["ok"]
    files = [{"name": "large.png", "parcel": "p"}]
    assert bench.reply("upload", term="male chef", files=files)["ok"]
    lost = bench.reply("upload-part", parcel="q", part=3, content=sent)
    assert "lost" in lost["message"]
    again = bench.reply("upload", term="male chef", files=files)
    assert "did not arrive" in again["message"]
    damaged = bench.reply("upload", term="male chef", files=[{"name": "a", "content": "%%"}])
    assert "damaged" in damaged["message"]


def test_a_piece_of_a_file_waits_for_no_answer_and_hides_none(bench: Bench) -> None:
    bench.answer()
    answers = sum("answer" in told for told in bench.emitted.log)
    for part in range(3):
        assert bench.reply("upload-part", parcel="p", part=part, content="AAAA")["ok"]
    assert sum("answer" in told for told in bench.emitted.log) == answers
    step = 2 if bench.state["step"] == 1 else 1
    last = {"name": "upload-part", "args": {"parcel": "p", "part": 3, "content": "AAAA"}}
    generation = bench.state["generation"] + 1
    bench.controller.change({"command": {"id": 99, **last}})
    bench.controller.change({"step": step, "generation": generation})
    assert bench.emitted.answer(generation)["state"]
    assert bench.emitted.until(lambda state: state["reply"]["id"] == 99)["reply"]["ok"]


def test_pictures_are_not_held_in_memory(bench: Bench) -> None:
    bench.reply("upload", term="male chef", files=[picture_file()])
    image = bench.controller.materials.image_set().images[-1]
    folder = bench.controller.materials.files._folder
    assert folder is not None
    assert image.picture().size == (32, 32)
    shutil.rmtree(folder)
    with pytest.raises(ImageError):
        image.picture()


def test_the_folder_of_pictures_goes_with_its_bench() -> None:
    files = PictureFiles()
    folder = files.new_folder()
    assert folder.is_dir()
    del files
    gc.collect()
    assert not folder.parent.exists()


# Taken out and put back, described, kept.


def test_removed_pictures_are_put_back(bench: Bench) -> None:
    bench.answer(step=2)
    before = bench.ids
    assert "2 pictures removed" in bench.reply("remove", ids=before[:2])["message"]
    assert bench.ids == before[2:]
    assert bench.state["answer"]["steps"][1]["note"] == "30 pictures, 2 removed"
    assert bench.reply("remove-term", term="male chef")["ok"]
    assert bench.counts()["male chef"] == 0
    assert bench.reply("restore", ids=[row["id"] for row in bench.rejected])["ok"]
    assert bench.ids == before
    assert bench.reply("restore", ids=[before[0], "unknown"])["message"] == "0 pictures put back."


def test_a_description_is_changed(bench: Bench) -> None:
    bench.answer(step=2)
    number = bench.ids[0]
    assert bench.reply("describe", id=number, text="  A nurse\nsmiling ")["ok"]
    assert bench.state["images"]["images"][0]["alt"] == "A nurse smiling"
    assert not bench.reply("describe", id="none", text="?")["ok"]


def test_kept_pictures_are_found_again_by_their_term(bench: Bench) -> None:
    bench.answer(step=2)
    assert bench.reply("upload", term="male chef", files=[picture_file("a.png", 1)])["ok"]
    for told in ("33 kept.", "0 kept, 33 were already stored."):
        assert bench.reply("keep")["ok"]
        assert bench.made()["message"] == told
    other = Bench(images=ImageSet())
    other.answer(step=2)
    other.emitted.until(lambda s: sum(t["saved"] for t in s["images"]["terms"]) == 33)
    assert "9 pictures added" in other.reply("saved", terms=["male chef"])["message"]
    assert other.counts()["male chef"] == 9
    assert other.state["images"]["terms"][3]["saved"] == 0


def test_drawn_portraits_need_not_be_kept() -> None:
    bench = Bench(images=None)
    bench.answer(per_term=1)
    drawn(bench)
    assert "can be drawn again" in bench.refused("keep")


# Thumbnails.


def test_thumbnails_come_as_they_are_wanted_and_are_small(bench: Bench) -> None:
    bench.answer(step=2)
    found = bench.thumbnails(bench.ids[:20])
    assert set(found) == set(bench.ids[:20])
    assert all(one.startswith("data:image/jpeg;base64,") for one in found.values())
    assert max(map(len, found.values())) < 6_000
    with Pillow.open(io.BytesIO(base64.b64decode(found[bench.ids[0]].split(",")[1]))) as small:
        assert max(small.size) <= 96
    bench.reply("remove", ids=bench.ids[20:21])
    gone = bench.rejected[0]["id"]
    assert bench.thumbnails([gone])[gone].startswith("data:")


# Data sets.


def packed(bench: Bench) -> bytes:
    assert bench.reply("dataset")["ok"]
    bench.made()
    reply = bench.reply("dataset")
    assert reply["media_type"] == "application/zip"
    return base64.b64decode(reply["content"])


def sent_back(bench: Bench, content: bytes) -> dict[str, Any]:
    sent = base64.b64encode(content).decode()
    assert bench.reply("import-dataset", name="set.zip", content=sent)["ok"]
    return bench.made()


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_a_data_set_goes_out_and_comes_back(bench: Bench) -> None:
    bench.answer(step=2)
    content = packed(bench)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
    assert any(name.endswith("train/metadata.jsonl") for name in names)
    assert sum(name.endswith(".png") for name in names) == 32
    other = Bench(images=ImageSet())
    other.answer(step=2)
    assert "32 pictures added" in sent_back(other, content)["message"]
    assert other.ids == bench.ids
    assert "32 pictures already there" in sent_back(other, content)["message"]


def test_a_zip_of_folders_is_read_and_other_terms_wait(bench: Bench) -> None:
    files = {
        f"photos/{term}/{i}.png": png(noise("", 40 + i, 32).picture())
        for term in ("male_chef", "female pilot")
        for i in range(2)
    }
    bench.answer(step=2)
    assert "4 pictures added" in sent_back(bench, zipped(files))["message"]
    assert bench.counts()["male chef"] == 10
    assert any("'female pilot'" in note for note in bench.state["images"]["notes"])
    lists = [{**LISTS[0], "terms": ["female pilot"]}, *LISTS[1:]]
    bench.answer(lists=lists)
    assert bench.counts()["female pilot"] == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"no zip", "not a zip file"),
        (zipped({"é.png": b"x"}).replace("é".encode(), b"\xe2\x28"), "not a zip file"),
        (zipped({"../../outside.png": b"x"}), "outside"),
        (zipped({"/etc/outside.png": b"x"}), "outside"),
        (zipped({"..\\outside.png": b"x"}), "outside"),
        (zipped({"readme.txt": b"nothing"}), "has no folder of pictures"),
        (zipped({"set/data/train.parquet": b"PAR1"}), "not opened here"),
    ],
    ids=["no-zip", "no-utf-8", "above", "absolute", "backslash", "no-picture", "parquet"],
)
def test_a_zip_that_cannot_be_taken_says_why(bench: Bench, content: bytes, told: str) -> None:
    bench.answer(step=2)
    before = bench.ids
    assert told in sent_back(bench, content)["message"]
    assert told in bench.state["images"]["problems"][0]
    assert bench.ids == before


def test_a_zip_that_unpacks_to_too_much_is_refused_by_its_head(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biaslab_widgets.benches.images import sources as images_sources

    monkeypatch.setattr(images_sources, "LARGEST_UNPACKED_MB", 0.001)
    told = sent_back(bench, zipped({"male chef/a.png": bytes(5000)}))["message"]
    assert "unpacks to" in told


# Folders of the machine.


def test_a_folder_is_read_in_a_notebook_and_never_in_a_served_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside").mkdir()
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "photos" / "male chef"
    place.mkdir(parents=True)
    (place / "a.png").write_bytes(png(noise("", 7, 32).picture()))
    here = Bench(folders=True)
    assert here.state["folders"]
    assert here.reply("folder", path=str(tmp_path / "photos"))["ok"]
    assert "1 picture added" in here.made()["message"]
    assert not here.reply("folder", path=str(tmp_path / "none"))["ok"]
    served = Bench()
    assert not served.state["folders"]
    for name, args in (
        ("folder", {"path": str(tmp_path / "photos")}),
        ("add-model", {"name": str(tmp_path)}),
        ("add-model", {"name": f"hf:{tmp_path}"}),
        ("add-model", {"name": "hf:../secret"}),
        ("add-model", {"name": "hf:beside"}),
        ("generate", {"painter": "local", "model": str(tmp_path)}),
    ):
        reply = served.reply(name, **args)
        assert not reply["ok"], name
        assert "on its server" in reply["message"] or "is served" in reply["message"]


# Made by a model.


def test_pictures_come_from_an_endpoint_and_the_key_is_nowhere(bench: Bench) -> None:
    pytest.importorskip("openai")
    bench.answer(step=2)

    def script(body: dict[str, Any], number: int) -> Scripted:
        content = base64.b64encode(png(noise("", number, 32).picture())).decode()
        return Scripted(raw=json.dumps({"created": 1, "data": [{"b64_json": content}]}))

    with scripted_server(script) as server:
        reply = bench.reply(
            "generate", painter="endpoint", model="m", base_url=server.url, key=KEY,
            style="portrait", terms=["male chef"], per_term=2,
        )  # fmt: skip
        assert reply["ok"]
        told = bench.made()["message"]
    assert "2 pictures made" in told
    assert bench.counts()["male chef"] == 10
    assert len(kept_images(["male chef"])) == 2  # kept as they come
    assert KEY not in json.dumps(bench.state, default=str)
    assert KEY not in repr(vars(bench.controller))
    assert bench.controller._private.held == {}


def test_an_endpoint_that_nobody_answers_is_told(bench: Bench) -> None:
    pytest.importorskip("openai")
    bench.answer(step=2)
    args = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "key": KEY, "terms": ["male chef"]}
    assert bench.reply("generate", **args)["ok"]
    assert "cannot be reached" in bench.made()["message"]
    assert "cannot be reached" in bench.state["images"]["problems"][0]
    assert not bench.reply("generate", terms=["male chef"])["ok"]  # no model named
    assert not bench.reply("generate", **{**args, "style": "no place for it"})["ok"]


# The set itself.


def test_a_bench_holds_no_more_than_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_set, "MOST", 40)
    held = PictureSet()
    held.add(noises(8))
    with pytest.raises(ImageError, match="at most 40"):
        held.add(noises(20))
    held.show(TERMS)
    assert len(held.images) == 32


def test_the_same_picture_under_two_terms_has_two_places() -> None:
    held = PictureSet()
    held.add(ImageSet((noise("a", 1), noise("b", 1), noise("A", 1))))
    held.show(["A", "b"])
    assert len(held.ids) == len(set(held.ids)) == 2
    assert [image.term for image in held.images] == ["A", "b"]
    held.remove([held.ids[0]])
    assert [image.term for image in held.images] == ["b"]


def test_another_set_takes_the_place_of_the_first(bench: Bench) -> None:
    bench.answer(step=2)
    bench.controller.materials.begin_with(noises(2))
    bench.emitted.until(lambda s: len(s["images"]["images"]) == 8)
    assert len(bench.controller.materials.image_set()) == 8
    with pytest.raises(QueryError):
        _ = bench.controller.results
    np.testing.assert_array_equal(sorted(bench.counts().values()), [2, 2, 2, 2])
