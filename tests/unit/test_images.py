"""Pictures under terms: drawn, from folders, in the store, as a dataset."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

import biaslab as bl
from biaslab import images
from biaslab.errors import ImageError, MissingExtraError, OutboundError
from biaslab.images import ImageSet, drawable, drawn_images, find_images, open_image
from biaslab.images.sources import forget_images, keep_images, kept_images
from biaslab.probes.sentences.exchange import write_pairs
from biaslab.probes.sentences.formats import dataset_folder
from biaslab.probes.sentences.sources import default_pairs
from biaslab.store import Store

SPECS = [e.spec for e in bl.specs.entries() if e.spec and e.name.startswith("images-")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def photograph(seed: int, size: tuple[int, int] = (40, 32)) -> Pillow.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    return Pillow.fromarray(coarse).resize(size, Pillow.Resampling.NEAREST)


def photographs(root: Path, **counts: int) -> Path:
    """A folder of photographs, so many under each term; no two are the same."""
    seed = 0
    for term, count in counts.items():
        (root / term).mkdir(parents=True)
        for number in range(count):
            seed += 1
            photograph(seed).save(root / term / f"{number}.png")
    return root


@pytest.mark.parametrize(
    ("term", "occupation", "group"),
    [
        ("nurse", "nurse", None),
        ("a Nurse", "nurse", None),
        ("woman", "person", "woman"),
        ("female scientist", "scientist", "woman"),
        ("man who is a nurse", "nurse", "man"),
        ("portrait of a gentleman", "person", "man"),
    ],
)
def test_terms_are_drawn_as_they_say(term: str, occupation: str, group: str | None) -> None:
    found = drawable(term)
    assert found is not None
    assert (found.occupation, found.group) == (occupation, group)


@pytest.mark.parametrize("term", ["", "plumber", "nurse doctor", "woman man", "the", "green nurse"])
def test_terms_that_nobody_drew_are_not_guessed(term: str) -> None:
    assert drawable(term) is None
    with pytest.raises(ImageError, match="upload or generate"):
        drawn_images([term])


def test_drawn_portraits_follow_from_the_seed_and_from_their_own_term() -> None:
    found = drawn_images(["nurse", "male scientist"], per_term=4, seed=3, size=48)
    again = drawn_images(["male scientist"], per_term=4, seed=3, size=48)
    assert [i.hash for i in found.of_term("male scientist")] == [i.hash for i in again]
    other = drawn_images(["male scientist"], per_term=4, seed=4, size=48)
    assert not {i.hash for i in again} & {i.hash for i in other}
    groups = [i.record.provenance["group"] for i in found.of_term("nurse")]
    assert sorted(groups) == ["man", "man", "woman", "woman"]
    first = found.images[0]
    assert first.alt.startswith("Drawn portrait, nurse: ")
    assert first.picture().size == (48, 48)
    assert "deliberately stereotyped" in found.notes[0]
    with pytest.raises(ImageError, match="at least one"):
        drawn_images(["nurse"], per_term=0)


def test_every_image_spec_of_the_catalogue_can_be_drawn() -> None:
    assert len(SPECS) >= 3
    for spec in SPECS:
        assert images.can_be_drawn(spec)
        terms = images.image_terms(spec)
        found = images.default_images(spec, per_term=2, size=32)
        assert found.terms == terms
        assert found.remarks(terms) == ()
        assert len(spec.attributes) == 2
        assert {g for groups in spec.attribute_groups.values() for g in groups} == set(spec.groups)
    assert not images.can_be_drawn(bl.specs.get("weat-6"))


def test_the_same_picture_counts_once_under_a_term_and_is_told_under_two() -> None:
    face = open_image(np_png(1), "nurse", name="a.png")
    found = ImageSet.of([face, open_image(np_png(1), "Nurse", name="b.png"), face.under("doctor")])
    assert len(found) == 2
    assert found.rejected[0].name == "b.png"
    assert "already" in found.rejected[0].reason
    remarks = found.remarks(["nurse", "doctor", "judge"])
    assert any("one picture of 'nurse'" in r for r in remarks)
    assert any("no picture of 'judge'" in r for r in remarks)
    assert any("'nurse' and 'doctor' have the same pictures" in r for r in remarks)
    more = found.joined(ImageSet.of([open_image(np_png(2), "doctor")]))
    assert any("1 picture stands under both" in r for r in more.remarks())
    assert len(more.without([face.hash])) == 1
    assert len(more.without([face.hash], "DOCTOR")) == 2


def np_png(seed: int) -> bytes:
    from biaslab.images.opening import png

    return png(photograph(seed))


def test_what_a_person_says_of_a_picture_is_its_text() -> None:
    face = open_image(np_png(1), "nurse")
    assert face.alt == "Picture without a description, nurse"
    assert face.described("  a person\nin scrubs ").alt == "a person in scrubs"
    small = Pillow.open(io.BytesIO(face.thumbnail(16)))
    assert max(small.size) == 16


def test_a_folder_of_photographs_is_read_by_its_terms(tmp_path: Path) -> None:
    root = photographs(tmp_path / "faces", nurse=2, night_guard=1)
    (root / "nurse" / "0.txt").write_text("a person in scrubs")
    (root / "nurse" / ".DS_Store").write_bytes(b"x")
    (root / "nurse" / "notes.txt").write_text("no picture")
    (root / "nurse" / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    found = images.read_folder(root)
    assert found.terms == ("night guard", "nurse")
    assert found.of_term("nurse")[0].alt == "a person in scrubs"
    assert {r.name for r in found.rejected} == {"nurse/notes.txt", "nurse/broken.jpg"}
    chosen = images.read_folder(root, ["Night-Guard", "judge"])
    assert chosen.terms == ("Night-Guard",)
    assert [(r.term, "no folder" in r.reason) for r in chosen.rejected] == [("judge", True)]
    named = images.read_folder(root, {"nurses at work": "nurse"})
    assert len(named.of_term("nurses at work")) == 2


def test_nothing_outside_of_the_folder_is_opened(tmp_path: Path) -> None:
    root = photographs(tmp_path / "faces", nurse=1)
    secret = photographs(tmp_path / "elsewhere", private=1) / "private"
    (root / "nurse" / "link.png").symlink_to(secret / "0.png")
    (root / "linked").symlink_to(secret)
    found = images.read_folder(root)
    assert found.terms == ("nurse",)
    assert len(found) == 1
    reasons = {r.name: r.reason for r in found.rejected}
    assert "points outside the folder" in reasons["nurse/link.png"]
    assert "points outside faces" in reasons["linked"]
    for name in ("../elsewhere/private", str(secret)):
        with pytest.raises(ImageError, match="points outside"):
            images.read_folder(root, {"nurse": name})
    # A link to a neighbour in the folder is none of that.
    (root / "nurse" / "same.png").symlink_to(root / "nurse" / "0.png")
    assert "already" in images.read_folder(root).rejected[-1].reason


def test_what_lies_beside_the_folders_is_told(tmp_path: Path) -> None:
    root = photographs(tmp_path / "faces", night_guard=1, nurse=1)
    (root / "night-guard").mkdir()
    photograph(7).save(root / "night-guard" / "lost.png")
    for number in range(2):
        photograph(8 + number).save(root / f"loose {number}.png")
    (root / "README.md").write_text("Whose pictures these are.")
    found = images.read_folder(root)
    assert {image.term for image in found} == {"night-guard", "nurse"}
    told = {r.name: r.reason for r in found.rejected}
    assert set(told) == {"night_guard", "loose 0.png"}
    assert "night-guard is the same name" in told["night_guard"]
    assert "first of 2" in told["loose 0.png"]
    assert images.read_folder(root, ["nurse"]).rejected == ()


def test_a_folder_without_pictures_is_told(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no folder of pictures named after a term"):
        images.read_folder(tmp_path)
    photograph(1).save(tmp_path / "loose.png")
    with pytest.raises(ImageError, match="Make one folder per"):
        images.read_folder(tmp_path)
    with pytest.raises(ImageError, match="no folder"):
        images.read_folder(tmp_path / "none")


def test_kept_pictures_are_found_again_by_their_term(store: Store) -> None:
    given = [open_image(np_png(n), "Night  Guard", name=f"{n}.png") for n in range(3)]
    assert keep_images(given, store=store) == 3
    assert keep_images([*given, open_image(np_png(9), "night guard")], store=store) == 1
    found = kept_images(["night guard", "nurse"], store=store)
    assert len(found) == 4
    assert found.images[:3] == tuple(given)
    for kept, image in zip(found, given, strict=False):
        np.testing.assert_array_equal(np.asarray(kept.picture()), np.asarray(image.picture()))
    assert kept_images(["nurse"], store=store) == ImageSet()
    assert len(kept_images(store=store)) == 4
    # Another process finds the same.
    assert kept_images(["night guard"], store=Store(store_folder(store))).images == found.images


def store_folder(store: Store) -> Path:
    return Path(str(store).removeprefix("<Store ").removesuffix(">")).parent


def test_a_picture_that_is_forgotten_is_gone_from_the_disk(store: Store) -> None:
    one, other = open_image(np_png(1), "nurse"), open_image(np_png(2), "nurse")
    keep_images([one, other, one.under("doctor")], store=store)
    files = {p.name for p in (store_folder(store) / "files").rglob("*") if p.is_file()}
    assert len(files) == 2
    assert forget_images([one], store=store) == 1
    assert {p.name for p in (store_folder(store) / "files").rglob("*") if p.is_file()} == files
    assert kept_images(["doctor"], store=store).images[0].picture().size == (40, 32)
    assert forget_images([one.under("doctor"), one], store=store) == 1
    left = {p.name for p in (store_folder(store) / "files").rglob("*") if p.is_file()}
    assert len(left) == 1
    assert left < files
    assert [i.hash for i in kept_images(store=store)] == [other.hash]
    assert forget_images([one], store=Store(store_folder(store) / "new")) == 0


def test_a_picture_without_a_term_is_not_kept(store: Store) -> None:
    with pytest.raises(ImageError, match="Nothing was stored"):
        keep_images([open_image(np_png(1), "nurse"), open_image(np_png(2))], store=store)
    assert len(kept_images(store=store)) == 0


def test_a_stored_file_that_was_damaged_is_told(store: Store) -> None:
    keep_images([open_image(np_png(1), "nurse")], store=store)
    found = kept_images(["nurse"], store=store).images[0]
    file = next(p for p in (store_folder(store) / "files").rglob("*") if p.is_file())
    file.write_bytes(b"something else")
    with pytest.raises(ImageError, match="was changed or damaged"):
        found.picture()


def test_retrieval_finds_portraits_on_the_first_day_and_kept_ones_first(store: Store) -> None:
    first = find_images(["nurse", "plumber"], store=store, per_term=5)
    assert len(first.of_term("nurse")) == 5
    assert any("no picture of 'plumber'" in note for note in first.notes)
    keep_images([open_image(np_png(n), "nurse") for n in range(3)], store=store)
    later = find_images(["nurse"], store=store, per_term=5)
    assert [i.record.source for i in later] == ["upload"] * 3 + ["drawn"] * 2
    assert len(find_images(["nurse"], store=store, per_term=5, draw=False)) == 3
    assert len(find_images(["nurse"], store=store, per_term=2)) == 3
    # Portraits that are kept are not drawn a second time, nor in place of others.
    keep_images(drawn_images(["nurse"], per_term=4), store=store)
    assert len(find_images(["nurse"], store=store, per_term=9)) == 9


def test_a_dataset_goes_out_and_comes_back(tmp_path: Path) -> None:
    given = drawn_images(["nurse", "female nurse"], per_term=3, size=48).joined(
        ImageSet.of([open_image(np_png(1), "Nürse!"), open_image(np_png(1), "nurse")])
    )
    folder = images.write_dataset(given, tmp_path / "out")
    found = images.read_dataset(folder)
    assert found.images == given.images
    assert found.rejected == ()
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "deliberately stereotyped" in card
    rows = [json.loads(line) for line in (folder / "train" / "metadata.jsonl").open()]
    assert len({row["file_name"] for row in rows}) == len(rows) == 8
    assert images.write_dataset(given, folder) == folder
    with pytest.raises(ImageError, match="no pictures to write"):
        images.write_dataset(ImageSet(), tmp_path / "none")


def test_a_dataset_is_uploaded_as_the_logged_in_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    sent: list[tuple[str, dict[str, Any]]] = []

    class Api:
        def create_repo(self, name: str, **options: Any) -> None:
            if name == "nobody/else":
                raise PermissionError("403 Forbidden")
            sent.append((name, options))

        def upload_folder(self, **options: Any) -> str:
            sent.append(("folder", options))
            return f"hub/{options['repo_id']}"

    monkeypatch.setattr(hub, "HfApi", Api)
    portraits = images.write_dataset(drawn_images(["nurse"], per_term=1, size=48), tmp_path / "i")
    pairs = write_pairs(
        default_pairs(bl.specs.get("biastest-age"), per_attribute=1), tmp_path / "s"
    )
    assert images.push_dataset(portraits, "me/faces", private=False) == "hub/me/faces"
    assert dataset_folder.push(pairs, "me/pairs") == "hub/me/pairs"
    assert [options.get("private") for _, options in sent[::2]] == [False, True]
    assert [options["folder_path"] for _, options in sent[1::2]] == [str(portraits), str(pairs)]
    assert {options["repo_type"] for _, options in sent} == {"dataset"}
    with pytest.raises(OutboundError, match=r"403 Forbidden.*hf auth login"):
        images.push_dataset(portraits, "nobody/else")
    with pytest.raises(ImageError, match="no image dataset"):
        images.push_dataset(pairs, "me/faces")


def test_all_parts_of_a_dataset_are_read(tmp_path: Path) -> None:
    for number, part in enumerate(("train", "validation", "test")):
        (tmp_path / part).mkdir()
        photograph(number).save(tmp_path / part / "0.png")
        row = json.dumps({"file_name": "0.png", "label": f"{part} term"})
        (tmp_path / part / "metadata.jsonl").write_text(row)
    found = images.read_images(tmp_path)
    assert found.terms == ("train term", "validation term", "test term")
    assert found.images == images.read_dataset(tmp_path).images


def test_a_folder_is_read_as_it_is_laid_out(tmp_path: Path) -> None:
    given = drawn_images(["nurse", "female nurse"], per_term=2, size=48)
    assert images.read_images(images.write_dataset(given, tmp_path / "set")).images == given.images
    root = photographs(tmp_path / "faces", nurse=2)
    assert images.read_images(root).images == images.read_folder(root).images
    with pytest.raises(ImageError, match="no folder"):
        images.read_images(tmp_path / "none")


def test_what_datasets_itself_reads_and_saves(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    given = drawn_images(["nurse", "female nurse"], per_term=2, size=48)
    folder = images.write_dataset(given, tmp_path / "set")
    loaded = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == 4
    loaded.save_to_disk(str(tmp_path / "saved"))
    (tmp_path / "hub" / "data").mkdir(parents=True)
    (tmp_path / "names").mkdir()
    loaded.to_parquet(str(tmp_path / "names" / "0.parquet"))
    named = images.read_dataset(tmp_path / "names")
    assert len(named) == 0
    assert "does not contain the picture" in named.rejected[0].reason
    held = datasets.load_from_disk(str(tmp_path / "saved"))
    held.to_parquet(str(tmp_path / "hub" / "data" / "train-00000-of-00001.parquet"))
    for place in ("saved", "hub"):
        assert set(images.read_images(tmp_path / place)) == set(given)
    labelled = loaded.remove_columns(["term", "hash"]).add_column("label", [0, 0, 1, 1])
    labelled = labelled.cast_column("label", datasets.ClassLabel(names=["judge", "cook"]))
    labelled.save_to_disk(str(tmp_path / "labelled"))
    assert images.read_dataset(tmp_path / "labelled").terms == ("judge", "cook")
    loaded.remove_columns("image").save_to_disk(str(tmp_path / "words"))
    with pytest.raises(ImageError, match="no column of pictures"):
        images.read_dataset(tmp_path / "words")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "0.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImageError, match="cannot be read as a dataset"):
        images.read_dataset(tmp_path / "half")


def test_tables_that_need_a_library_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(MissingExtraError, match="pip install datasets"):
        images.read_images(tmp_path)


def test_datasets_of_others_are_read_and_bad_rows_are_told(tmp_path: Path) -> None:
    for number in range(2):
        photograph(number).save(tmp_path / f"{number}.png")
    (tmp_path.parent / "outside.png").write_bytes(np_png(5))
    rows: list[Any] = [
        {"file_name": "0.png", "label": "nurse"},
        {"file_name": "1.png", "text": "judge", "hash": "0" * 64},
        {"file_name": "../outside.png", "label": "nurse"},
        {"file_name": "none.png", "label": "nurse"},
        {"file_name": "1.png"},
    ]
    table = tmp_path / "metadata.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)))
    found = images.read_dataset(tmp_path)
    assert [(i.term, i.record.source) for i in found] == [("nurse", "dataset")]
    reasons = [r.reason for r in found.rejected]
    assert "has changed since its row was written" in reasons[0]
    assert "points outside" in reasons[1]
    assert "cannot be read" in reasons[2]
    assert "no picture or no term" in reasons[3]
    for damage in ('{"file_name": "0.png", "lab', "[" * 100_000):
        table.write_text(damage)
        with pytest.raises(ImageError, match=r"not valid JSON at line 1|too deep"):
            images.read_dataset(tmp_path)
    table.unlink()
    (tmp_path / "metadata.csv").write_text("file_name,label\n0.png,nurse\n")
    assert images.read_dataset(tmp_path).terms == ("nurse",)
    (tmp_path / "metadata.csv").unlink()
    with pytest.raises(ImageError, match=r"no metadata\.jsonl"):
        images.read_dataset(tmp_path)
