"""The Hugging Face hub: models for others than the owner, and data sets that the owner uploads.

The hub's library sends the owner's token by itself, follows redirects to other hosts, and connects
from threads that belong to no person. On a server that others reach, a process that can be ended
fetches the files, and the server opens them from the cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from biaslab.errors import MissingExtraError, OutboundError
from biaslab.network.admission import check_hub_name
from biaslab.network.usage import count_call
from biaslab.people.access import current_access, without_access
from biaslab.threads.leaving import leave_if_cancelled

PREFIX: Final = "hf:"
LARGEST: Final = 40 * 10**9
"""Bytes of the files of a model that is fetched for others than the owner."""
WANTED: Final = (
    "*.json", "*.safetensors", "*.txt", "*.model", "*.spm", "*.jinja", "*.codes", "*.bpe",
)  # fmt: skip
"""Files that models are opened from; none of them is code or a pickle."""
_LOOK_AGAIN: Final = 0.2
# With what the hub's library calls telemetry, each process asks the hub for a list of programs, and
# sends what it finds out about its own. The library reads this when it is imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
_TOKENS: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN")
_CHILD: Final = """
import fnmatch, json, shutil, sys
from pathlib import Path
name, revision, wanted, largest = json.loads(sys.argv[1])
def answer(**values):
    print("\\n@@" + json.dumps(values))
    sys.exit()
try:
    from huggingface_hub import HfApi, constants, snapshot_download
    files = HfApi().model_info(name, revision=revision, files_metadata=True).siblings or ()
    sizes = [f.size or 0 for f in files if any(fnmatch.fnmatch(f.rfilename, w) for w in wanted)]
    if sum(sizes) > largest:
        answer(large=sum(sizes))
    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    if sum(sizes) > shutil.disk_usage(cache).free * 0.9:
        answer(full=True)
    snapshot_download(name, revision=revision, allow_patterns=wanted, max_workers=4)
except Exception as error:
    answer(failed=type(error).__name__)
answer(done=True)
"""


def fetch_apart(name: str, revision: str | None = None, only: Sequence[str] = WANTED) -> bool:
    """Fetch the files of a model for others than the owner; do nothing for the owner.

    Parameters
    ----------
    name : str
        ``hf:NAME``.
    revision : str, optional
        Branch, tag or commit.
    only : sequence of str
        Patterns of the files.

    Returns
    -------
    bool
        Whether the files, where there are any, lie in the cache, and no connection is to be made.

    Raises
    ------
    OutboundError
        If the name is not allowed, or cannot be fetched.
    """
    access = current_access()
    if access.is_owner and without_access().is_owner:
        return False
    check_hub_name(name)
    if not access.reach.everything:
        count_call(access.user, access.reach.quota, access.reach.total)
    answer = _ask([name.removeprefix(PREFIX), revision, list(only), LARGEST])
    if "done" in answer:
        return True
    if "large" in answer:
        why = f"it has {float(str(answer['large'])) / 1e9:.0f} GB, and at most 40 GB are fetched"
    elif "full" in answer:
        why = "the server has no room for it"
    else:
        why = "the hub has none of that name for everybody, or cannot be reached"
    raise OutboundError(f"{name} cannot be fetched: {why}.")


def push_dataset(folder: str | os.PathLike[str], repository: str, *, private: bool = True) -> str:
    """Upload a folder of a data set, with its card, as the person who is logged in to the hub.

    Parameters
    ----------
    folder : path
        With its tables, files and README.md.
    repository : str
        ``owner/name``; made if it is not there.
    private : bool
        Whether a new repository is private.

    Returns
    -------
    str
        Its address.

    Raises
    ------
    MissingExtraError
        If huggingface_hub is not installed.
    OutboundError
        If the hub cannot be reached, or refuses; or by others than the owner.
    """
    if not current_access().is_owner:
        raise OutboundError("Only the owner of this server uploads data sets. Ask the owner.")
    try:
        from huggingface_hub import HfApi
    except ModuleNotFoundError as error:
        raise MissingExtraError('This needs huggingface_hub: pip install "biaslab[lm]"') from error
    api = HfApi()
    try:
        api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        done = api.upload_folder(repo_id=repository, folder_path=str(folder), repo_type="dataset")
    except Exception as error:  # the client raises many kinds of error
        raise OutboundError(
            f"{repository} could not be written to: {error}. Log in with 'hf auth login', check "
            "the name and the network, and try again; the folder is unchanged."
        ) from error
    return str(done)


def _ask(question: list[object]) -> dict[str, object]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _CHILD, json.dumps(question)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=_surroundings(),
    )  # fmt: skip
    try:
        while True:
            try:
                output, _ = process.communicate(timeout=_LOOK_AGAIN)
                break
            except subprocess.TimeoutExpired:
                leave_if_cancelled()
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    _, mark, answer = output.rpartition("\n@@")
    values: dict[str, object] = json.loads(answer) if mark else {}
    return values


def _surroundings() -> dict[str, str]:
    """Return an environment with the hub on, and with the owner's token only where it is lent."""
    access = current_access()
    environment = dict(os.environ)
    if access.is_owner or access.reach.own_keys:
        return environment
    without = {name: value for name, value in environment.items() if name not in _TOKENS}
    return {**without, "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
