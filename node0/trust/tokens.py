"""Bearer tokens: ES256 JWTs with a role, a cluster and an expiry.

`create image` mints the role tokens, the service mints a host's when it registers; both with the key in
`/etc/cluster0/node0/token.key`. A token's `iat` is not checked: the clocks of the build host and of node0 may differ.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from functools import lru_cache

import jwt
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent.api.operations import TokenRole
from agent.model.problems import Problem

ALGORITHM = "ES256"


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a token. `exp` and `iat` are Unix seconds; `host_id` is empty except for role `host`.

    jti: the token's own id, used to revoke it.
    """

    role: TokenRole
    cluster_id: str
    iat: int
    exp: int
    host_id: str = ""
    jti: str = ""


def new_key() -> str:
    """A fresh P-256 private key: PEM, PKCS #8, not encrypted."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def mint(key_pem: str, *, role: TokenRole, cluster_id: str, expires: datetime, host_id: str = "", jti: str = "") -> str:
    """A token for `role`, valid until `expires`; `host_id` binds a token of role `host` to that host.

    jti: a fresh one when it is not given.
    """
    claims = Claims(
        role=role,
        cluster_id=cluster_id,
        host_id=host_id,
        iat=int(datetime.now(UTC).timestamp()),
        exp=int(expires.timestamp()),
        jti=jti or uuid.uuid4().hex,
    )
    return jwt.encode(msgspec.to_builtins(claims), key_pem, algorithm=ALGORITHM)


def verify(key_pem: str, token: str, *, cluster_id: str, now: datetime) -> Claims:
    """The claims of a valid token. `key_pem`: the private key that signed it, or its public half.

    Raises `Problem`: `token-invalid` (not ours, or damaged), `token-expired`, `token-foreign` (of another cluster).
    """
    claims = signed_claims(key_pem, token)
    if claims.cluster_id != cluster_id:
        raise Problem(
            code="token-foreign",
            title=f"The token is for cluster {claims.cluster_id}; this is {cluster_id}.",
            remedy="Boot every host from the same ISO, and use the directory in which that ISO was created.",
        )
    if claims.exp <= now.timestamp():
        raise Problem(
            code="token-expired",
            title=f"The token expired at {datetime.fromtimestamp(claims.exp, UTC)}; node0's clock says {now}.",
            remedy="Set the clock of node0 if it is wrong; otherwise run `create image` again.",
        )
    return claims


@lru_cache(maxsize=2048)
def signed_claims(key_pem: str, token: str) -> Claims:
    """The claims that `key_pem` has signed, expired or not. Raises `Problem` `token-invalid`.

    Cached: a host sends the same token with every request, and a signature takes slow hardware milliseconds.
    """
    try:
        decoded = jwt.decode(
            token, _public_key(key_pem), algorithms=[ALGORITHM], options={"verify_exp": False, "verify_iat": False}
        )
        return msgspec.convert(decoded, Claims)
    except (jwt.InvalidTokenError, msgspec.ValidationError) as error:
        raise Problem(
            code="token-invalid",
            title=f"The token is not one of this service's: {error}",
            remedy="Use a token from the same `create image` run as the ISO that node0 booted.",
        ) from error


@lru_cache(maxsize=4)
def _public_key(key_pem: str) -> ec.EllipticCurvePublicKey:
    pem = key_pem.encode()
    if b"PRIVATE KEY" in pem:
        private = serialization.load_pem_private_key(pem, password=None)
        assert isinstance(private, ec.EllipticCurvePrivateKey)
        return private.public_key()
    public = serialization.load_pem_public_key(pem)
    assert isinstance(public, ec.EllipticCurvePublicKey)
    return public
