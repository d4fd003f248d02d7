"""The keys of node0's service in `/etc/cluster0/node0`, as `create image` has made them."""

from __future__ import annotations

import ssl

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent.machine.files import Files
from agent.model import host_paths
from agent.model.problems import Problem

TOKEN_KEY = f"{host_paths.NODE0_DIRECTORY}/token.key"
TLS_KEY = f"{host_paths.NODE0_DIRECTORY}/tls.key"
TLS_CERTIFICATE = f"{host_paths.NODE0_DIRECTORY}/tls.crt"


def token_key(files: Files) -> str:
    """The private key of the tokens, PEM. Raises `Problem` (`key-unusable`)."""
    try:
        pem = files.read(TOKEN_KEY)
        key = serialization.load_pem_private_key(pem.encode(), password=None)
    except (OSError, ValueError, TypeError) as error:  # TypeError: it has a password
        raise _unusable(TOKEN_KEY, error) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise _unusable(TOKEN_KEY, TypeError("it is no elliptic-curve key"))
    return pem


def tls_context(files: Files) -> ssl.SSLContext:
    """TLS with the service's certificate. Raises `Problem` (`key-unusable`)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # A key with a password would be asked for on the terminal.
        context.load_cert_chain(files.at(TLS_CERTIFICATE), files.at(TLS_KEY), password="")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise _unusable(f"{TLS_KEY}, with {TLS_CERTIFICATE}", error) from error
    return context


def _unusable(what: str, error: Exception) -> Problem:
    """The words of OpenSSL and of `cryptography` hold no part of a key."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Problem(
        code="key-unusable",
        title=f"node0's service cannot use {what}.",
        detail=words,
        remedy="The file comes with the ISO. Make a new ISO with `cluster0 create image`, and boot every host from it.",
    )
