"""Apertium by the best method available on this machine."""

from __future__ import annotations

from biaslab.calls import recorded
from biaslab.errors import ServiceSetupError
from biaslab.services.apertium_command import ApertiumCommand
from biaslab.services.apertium_files import INSTALL, is_installed
from biaslab.services.apertium_http import ApertiumHTTP
from biaslab.services.apertium_server import server_is_installed, shared_translator


@recorded
def apertium(url: str | None = None) -> ApertiumHTTP | ApertiumCommand:
    """Return Apertium, a rule-based translator that works offline.

    Parameters
    ----------
    url : str, optional
        Address of a server of apertium-apy. By default one is started for this process, reached by
        this machine only, and restarted if it ends; if apertium-apy is not installed, the
        program ``apertium`` is run.

    Returns
    -------
    Translator
        To be given to `RoundTrip` or `Translation`.

    Raises
    ------
    ServiceSetupError
        If none of them is installed; says how to install them.
    """
    if url is not None:
        return ApertiumHTTP(url)
    if server_is_installed():
        return shared_translator()
    if is_installed():
        return ApertiumCommand()
    raise ServiceSetupError(f"Apertium is not installed. On Debian and Ubuntu: {INSTALL}")


def apertium_is_installed() -> bool:
    """Return whether `apertium` finds one on this machine, without starting it."""
    return is_installed() or server_is_installed()
