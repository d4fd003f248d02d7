"""The service's side of TLS: its certificate, and what a connection may cost."""

from __future__ import annotations

import ssl
from asyncio import sslproto

from agent.machine.files import Files
from agent.model import host_paths

# What asyncio reads at once, and keeps as a buffer for every connection: 256 KiB by default, which is half a gigabyte
# for a thousand hosts with two connections each. What hosts send is mostly less than this, an inventory a few times it.
READ_BYTES = 4 * 1024


def context(files: Files) -> ssl.SSLContext:
    """With the certificate that came with the ISO. From now on every connection's buffer has `READ_BYTES`."""
    sslproto.SSLProtocol.max_size = READ_BYTES
    directory = files.at(host_paths.NODE0_DIRECTORY)
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.minimum_version = ssl.TLSVersion.TLSv1_2
    found.load_cert_chain(directory / "tls.crt", directory / "tls.key")
    return found
