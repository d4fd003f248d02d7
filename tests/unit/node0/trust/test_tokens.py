"""Tokens: valid ones are accepted, and each kind of invalid token has its own code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from agent.api.operations import TokenRole
from agent.model.problems import Problem
from node0.trust import tokens

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
CLUSTER = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def key() -> str:
    return tokens.new_key()


def mint(key: str, *, cluster_id: str = CLUSTER, hours: int = 1, role: TokenRole = TokenRole.USER) -> str:
    return tokens.mint(key, role=role, cluster_id=cluster_id, expires=NOW + timedelta(hours=hours), host_id="h")


def code_of(key: str, token: str) -> str:
    with pytest.raises(Problem) as caught:
        tokens.verify(key, token, cluster_id=CLUSTER, now=NOW)
    return caught.value.code


def test_a_valid_token_gives_its_claims(key: str) -> None:
    claims = tokens.verify(key, mint(key, role=TokenRole.HOST), cluster_id=CLUSTER, now=NOW)
    assert (claims.role, claims.host_id, claims.cluster_id) == (TokenRole.HOST, "h", CLUSTER)


def test_the_public_half_is_enough_to_verify(key: str) -> None:
    private = serialization.load_pem_private_key(key.encode(), password=None)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert tokens.verify(public.decode(), mint(key), cluster_id=CLUSTER, now=NOW).role is TokenRole.USER


def test_an_expired_token_is_refused(key: str) -> None:
    assert code_of(key, mint(key, hours=-1)) == "token-expired"


def test_a_token_of_another_cluster_is_refused(key: str) -> None:
    assert code_of(key, mint(key, cluster_id="22222222-2222-4222-8222-222222222222")) == "token-foreign"


def test_a_token_signed_by_another_key_is_refused(key: str) -> None:
    assert code_of(key, mint(tokens.new_key())) == "token-invalid"


def test_the_refusal_of_a_token_does_not_show_it(key: str) -> None:
    token = mint(key, hours=-1)
    with pytest.raises(Problem) as caught:
        tokens.verify(key, token, cluster_id=CLUSTER, now=NOW)
    assert token not in str(caught.value)


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJyb2xlIjoidXNlciJ9."])
def test_a_damaged_or_unsigned_token_is_refused(key: str, token: str) -> None:
    assert code_of(key, token) == "token-invalid"


def test_a_token_with_an_unknown_role_is_refused(key: str) -> None:
    token = jwt.encode({"role": "admin", "cluster_id": CLUSTER, "iat": 0, "exp": 9**12}, key, algorithm="ES256")
    assert code_of(key, token) == "token-invalid"


def test_the_build_hosts_clock_may_be_ahead(key: str) -> None:
    """`iat` in the future: minted now, verified in the past."""
    now = datetime(2020, 1, 1, tzinfo=UTC)
    assert tokens.verify(key, mint(key), cluster_id=CLUSTER, now=now).role is TokenRole.USER
