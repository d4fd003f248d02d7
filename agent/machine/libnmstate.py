"""libnmstate, which shows the network as NMState and makes and verifies changes. All that it needs to work here is in
this file: it blocks, turns GLib's default main loop (so no `NetworkManager` may be open meanwhile), reads the kernel
by nispor, and its last release on PyPI, 2.0.0, is older than the NetworkManager of Debian 13.

https://nmstate.io/
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from agent.model.problems import Problem


def show() -> str:
    """This host's network, as YAML. Problem: `networkmanager-unreachable`."""
    libnmstate = _libnmstate()
    return str(libnmstate.PrettyState(libnmstate.show()).yaml)


def words() -> frozenset[str]:
    """Every key that libnmstate knows, anywhere in a document; it ignores unknown keys without a warning."""
    return frozenset(_strings(_libnmstate().schema))


def apply(state: dict[str, Any], *, seconds: int) -> str:
    """Merges `state` into the network, on disk too, and verifies the result.

    Returns NetworkManager's checkpoint of the network before: NetworkManager goes back to it after `seconds`, unless it
    is kept. Problem: `network-change-refused`; the network is what it was then.
    """
    libnmstate = _libnmstate()
    try:
        checkpoints = libnmstate.apply(state, commit=False, rollback_timeout=seconds)
    # For a document of an unexpected shape it raises what its own code ran into.
    except (libnmstate.error.NmstateError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise Problem(
            code="network-change-refused",
            title="The network did not become what the document describes; the old network is back.",
            detail=f"{type(error).__name__}: {error}",
        ) from error
    _, _, checkpoint = checkpoints.partition("|")  # "NetworkManager|<object path>"
    return str(checkpoint)


def _strings(schema: Any) -> Iterator[str]:
    """The constants of its module, and of the classes in it and in these."""
    for value in vars(schema).values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, type):
            yield from _strings(value)


def _libnmstate() -> Any:
    import gi

    gi.require_version("NM", "1.0")
    from gi.repository import NM

    from agent.machine import nispor

    sys.modules.setdefault("nispor", nispor)
    flags = NM.ActivationStateFlags
    if not hasattr(flags, "IS_MASTER"):  # NetworkManager 1.52 and later
        flags.IS_MASTER = flags.IS_CONTROLLER
    # Its one plugin of this kind is for Open vSwitch, which is not here; without this it logs that at every start.
    os.environ["NMSTATE_PLUGIN_DIR"] = os.devnull
    import libnmstate

    return libnmstate
