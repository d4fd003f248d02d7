"""The scrubber: what it removes and keeps, and how it counts."""

from __future__ import annotations

import base64
import io
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity
from node0.trust.scrub import MAX_TEXT, Scrubber

KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIOxBbq\n3k6lqFzq\n-----END EC PRIVATE KEY-----\n"
TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJyb2xlIjoiYWdlbnQifQ.c2lnbmF0dXJlLW9mLWl0"


def scrubbed(text: str, *known: str) -> tuple[str, Counter[str]]:
    clean = io.BytesIO()
    removed = Scrubber(word.encode() for word in known).copy(io.BytesIO(text.encode()), clean)
    return clean.getvalue().decode(), removed


@pytest.mark.parametrize(
    ("text", "left", "kind"),
    [
        (f"a\n{KEY}b\n", "a\n[removed:private-key]\nb\n", "private key"),
        (f"{KEY!r}\n", "'[removed:private-key]\\n'\n", "private key"),
        (f"t {TOKEN}!\n", "t [removed:web-token]!\n", "web token"),
        ("join --token abcdef.0123456789abcdef x\n", "join --token [removed:bootstrap-token] x\n", "bootstrap token"),
        ("root:$y$j9T$abcdefghijklmnopqrstuv:1\n", "root:[removed:password-hash]:1\n", "password hash"),
        ("http://me:pass@proxy:3128/\n", "http://[removed:password-in-address]@proxy:3128/\n", "password in address"),
        ('"password": "hunter22"\n', '"password": "[removed:named-secret]"\n', "named secret"),
        ("psk=correcthorse\n", "psk=[removed:named-secret]\n", "named secret"),
        ("Authorization: Bearer s3cr3ts3cr3t\n", "Authorization: Bearer [removed:named-secret]\n", "named secret"),
        ('{"auth": "dXNlcjpwYXNz"}\n', '{"auth": "[removed:named-secret]"}\n', "named secret"),
        (r'{"a": "{\"auth\": \"dXNlcjpwYXNz\"}"}', r'{"a": "{\"auth\": \"[removed:named-secret]\"}"}', "named secret"),
        (
            r'{"ignition_config_overrides": "{\"files\": \"x\"}", "kind": "Host"}',
            '{"ignition_config_overrides": "[removed:confided-document]", "kind": "Host"}',
            "confided document",
        ),
        (f"certificateKey: {'0a' * 32}\n", "certificateKey: [removed:certificate-key]\n", "certificate key"),
    ],
)
def test_text_that_looks_like_a_secret_is_removed(text: str, left: str, kind: str) -> None:
    assert scrubbed(text) == (left, Counter({kind: 1}))


def test_a_key_in_a_kubeconfig_is_removed() -> None:
    encoded = base64.b64encode(KEY.encode()).decode()
    assert scrubbed(f"client-key: {encoded}\n")[0] == "client-key: [removed:encoded-private-key]\n"


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "containerd.service: Succeeded. system.slicekubepods\n",
        "token-invalid: the token has expired\n",
        "52:54:00:00:00:01 10.0.0.1/24 sha256:0123456789abcdef0123456789abcdef\n",
        '{"authorization": {"mode": "Webhook"}}\n',
        '{"install_config_overrides": "", "pull_secret_set": true}\n',
    ],
)
def test_text_without_secrets_stays(text: str) -> None:
    assert scrubbed(text) == (text, Counter())


def test_an_unfinished_private_key_does_not_remove_the_rest() -> None:
    text = "-----BEGIN PRIVATE KEY-----\n" + "x\n" * 1000 + "the end\n"
    assert scrubbed(text)[0].endswith("the end\n")


def test_a_secret_is_found_wherever_windows_meet() -> None:
    line = f"{'x' * 50} token {TOKEN} {'y' * 30}\n"
    assert scrubbed(line * 3000) == (line.replace(TOKEN, "[removed:web-token]") * 3000, Counter({"web token": 3000}))
    text = "before\n" + "x" * 3_000_000 + TOKEN + "\nafter\n"
    assert scrubbed(text)[0] == "before\n" + "x" * 3_000_000 + "[removed:web-token]\nafter\n"


def test_a_secret_longer_than_a_window_takes_the_rest_of_its_line_with_it() -> None:
    text = '{"pull_secret": "' + "x y " * 50_000 + '", "kind": "Host"}\nafter\n'
    assert scrubbed(text) == (
        '{"pull_secret": "[removed:confided-document]\nafter\n',
        Counter({"confided document": 1}),
    )


def test_a_long_text_of_a_host_is_cut_without_the_halves_of_secrets() -> None:
    clean = Scrubber([b"correct-horse-battery"])
    for length in range(11_950, 12_050):
        assert "correct" not in clean.text("\n" * length + "correct-horse-battery" * 5)
    assert clean.text("é" * 20_000) == "é" * MAX_TEXT + " […]"
    assert clean.text("short\n") == "short\n"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_a_known_secret_is_always_removed(around: str) -> None:
    secret = "correct-horse-battery"
    text, removed = scrubbed(f"{around}{secret}{around}", secret)
    assert secret not in text
    assert removed


def test_every_secret_of_a_cluster_is_removed(tmp_path: Path) -> None:
    """All secrets that `create image` stores, as one document and as files."""
    identity = Identity(name="demo", base_domain="x", rendezvous_ip="192.0.2.1", api_address="192.0.2.1")
    data = make(identity, datetime.now(UTC))
    text = msgspec.json.format(msgspec.json.encode(data), indent=1).decode() + data.admin_kubeconfig + data.token_key
    left, removed = scrubbed(text)
    for secret in (data.agent_token, data.user_token, data.watcher_token, *_body(data.token_key)):
        assert secret not in left
    assert data.cluster_id in left
    assert removed["web token"] == 3


def _body(pem: str) -> list[str]:
    return [line for line in pem.splitlines() if "-----" not in line]
