"""Models of the hub for others than the owner: by name, apart, and without the owner's token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biaslab.errors import OutboundError
from biaslab.network import fetch_apart
from biaslab.network.usage import FILE
from biaslab.people.access import NOBODY, OWNER, Access, Role, acting_as, set_access_otherwise
from biaslab.people.outbound import Quota, as_outbound
from harness.needs import needs
from harness.service_server import Asked, Says, ServiceServer

pytestmark = needs("huggingface_hub")

TOKEN = "hf_owners-token"  # of nobody
COMMIT = "a" * 40
CONTENT = b'{"model_type": "bert"}'


def hub(size: int) -> ServiceServer:
    """A hub with one model of two files, one of them code."""

    def answer(asked: Asked) -> Says:
        if asked.path.startswith("/api/models/lab/small"):
            siblings = [
                {"rfilename": "config.json", "size": size, "blobId": "b" * 40},
                {"rfilename": "modeling.py", "size": 1, "blobId": "c" * 40},
            ]
            listed = [{"type": "file", "path": one["rfilename"], "size": one["size"],
                       "oid": one["blobId"]} for one in siblings]  # fmt: skip
            if "/tree/" in asked.path:
                return Says.of(listed)
            return Says.of({"id": "lab/small", "sha": COMMIT, "siblings": siblings})
        if asked.path == f"/lab/small/resolve/{COMMIT}/config.json":
            headers = {"ETag": '"e"', "X-Repo-Commit": COMMIT}
            return Says(CONTENT, headers=headers)
        return Says.of({"error": "Repository not found"}, 404,
                       headers={"X-Error-Code": "RepoNotFound"})  # fmt: skip

    return ServiceServer(answer)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


def anna(**more: Any) -> Access:
    return Access("anna", Role.VISITOR, outbound=as_outbound({"hub": ["lab/*"]} | more))


def test_an_allowed_model_is_fetched_without_the_owners_token_and_without_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub(len(CONTENT)) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with acting_as(anna()):
            assert fetch_apart("hf:lab/small")
        assert not any("authorization" in asked.headers for asked in server.asked)
    (config,) = (tmp_path / "hub").rglob("snapshots/*/*")
    assert config.name == "config.json"
    assert config.read_bytes() == CONTENT
    assert (tmp_path / "home" / FILE).exists()


def test_what_is_not_allowed_too_large_or_missing_is_not_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with hub(10**12) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        with acting_as(anna()):
            with pytest.raises(OutboundError, match="--allow-hub"):
                fetch_apart("hf:other/small")
            assert server.asked == []
            with pytest.raises(OutboundError, match="1000 GB, and at most 40 GB"):
                fetch_apart("hf:lab/small")
            with pytest.raises(OutboundError, match="none of that name for everybody"):
                fetch_apart("hf:lab/missing")
        with acting_as(anna(quota=Quota(0, 0))), pytest.raises(OutboundError, match="have used"):
            fetch_apart("hf:lab/small")


def test_the_owners_token_goes_along_where_it_is_lent_and_for_the_owner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with hub(10**12) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        assert not fetch_apart("hf:lab/small")  # alone, the owner fetches as ever
        set_access_otherwise(NOBODY)
        try:
            for access in (OWNER, anna(own_keys=True)):
                with acting_as(access), pytest.raises(OutboundError, match="1000 GB"):
                    fetch_apart("hf:lab/small")
        finally:
            set_access_otherwise(OWNER)
        assert all("agent" not in one.path for one in server.asked), "no telemetry"
        asked = [one for one in server.asked if one.path == "/api/models/lab/small"]
        assert [one.headers.get("authorization") for one in asked] == [f"Bearer {TOKEN}"] * 2
