"""The service's side of TLS: its certificate, and the memory of a connection."""

from __future__ import annotations

import ssl
from asyncio import sslproto

from agent.machine.files import Files
from agent.model import host_paths

# asyncio's read buffer of every connection. The default of 256 KiB is half a gigabyte for a thousand hosts with two
# connections each. Most messages of hosts are smaller than this; an inventory is a few times larger.
READ_BYTES = 4 * 1024


def context(files: Files) -> ssl.SSLContext:
    """With the certificate of the ISO. Sets the buffer of every connection in this process to `READ_BYTES`."""
    sslproto.SSLProtocol.max_size = READ_BYTES
    directory = files.at(host_paths.NODE0_DIRECTORY)
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.minimum_version = ssl.TLSVersion.TLSv1_2
    found.load_cert_chain(directory / "tls.crt", directory / "tls.key")
    return found
