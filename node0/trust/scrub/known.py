"""The secrets of this node0, by their text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent.machine.files import Files
from agent.model import host_paths
from node0.trust.scrub.scrubber import Scrubber

# Tokens and base64. The addresses and names in a kubeconfig are no secrets, and errors contain them.
_SECRET_WORD = re.compile(rb"[A-Za-z0-9+/=_.-]+")

# The user's manifests are stored like secrets, but most of their words are names.
_RANDOM_WORD = re.compile(rb"(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z]).{16,}|[0-9a-f]{32,}")
_MOST_WORDS = 1000


def of_node0(files: Files) -> Scrubber:
    """A scrubber that knows every secret on node0; `files`: the machine's."""
    secrets = [word for word in _words(files) if _SECRET_WORD.fullmatch(word)]
    secrets += files.read(host_paths.AGENT_TOKEN_FILE, default="").encode().split()
    return Scrubber(secrets)


def _words(files: Files) -> Iterable[bytes]:
    manifests = files.at(host_paths.MANIFESTS_DIRECTORY)
    left = _MOST_WORDS
    for path in sorted(files.at(host_paths.NODE0_DIRECTORY).rglob("*")):
        if not path.is_file() or path.stat().st_mode & 0o077:
            continue
        words = path.read_bytes().split()
        if path.is_relative_to(manifests):
            words = [word for word in words if _RANDOM_WORD.fullmatch(word)][:left]
            left -= len(words)
        yield from words
