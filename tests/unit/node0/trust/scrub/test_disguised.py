"""Secrets in other forms than the plain one: encoded, wrapped, quoted, in objects of Kubernetes."""

from __future__ import annotations

import base64
import gzip
import io
import json
import textwrap
from urllib.parse import quote, quote_plus

import pytest

from node0.trust.scrub import Scrubber

KEY = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIOxBbq\n3k6lqFzq\n-----END EC PRIVATE KEY-----\n"
TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJyb2xlIjoiYWdlbnQifQ.c2lnbmF0dXJlLW9mLWl0"
KUBECONFIG = f"apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: {TOKEN}\n"
WIREGUARD = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
SECRET = {"apiVersion": "v1", "data": {"user": "aHVudGVy"}, "kind": "Secret", "metadata": {"name": "kept"}}
JOURNAL = "2026-01-01T00:00:00+0000 host sh[12]: "


def b64(content: str | bytes) -> str:
    return base64.b64encode(content if isinstance(content, bytes) else content.encode()).decode()


def scrubbed(text: str | bytes) -> str:
    clean = io.BytesIO()
    Scrubber(()).copy(io.BytesIO(text if isinstance(text, bytes) else text.encode()), clean)
    return clean.getvalue().decode(errors="replace")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("token-secret: 0123456789abcdef\nkept\n", "token-secret: [removed:named-secret]\nkept\n"),
        ("secret: correcthorse\nkept\n", "secret: [removed:named-secret]\nkept\n"),
        ('"clientSecret" : "a b"\n', '"clientSecret" : "[removed:named-secret]"\n'),
        ("api_key: hunter2\n", "api_key: [removed:named-secret]\n"),
        ("passphrase: correct horse battery\nkept\n", "passphrase: [removed:named-secret]\nkept\n"),
        ('password: "a b c" # kept\n', 'password: "[removed:named-secret]" # kept\n'),
        ("password: 'a b c'\n", "password: '[removed:named-secret]'\n"),
        (r'{"password": "a \" b\\", "kept": 1}', '{"password": "[removed:named-secret]"kept": 1}'),
        ("db_password = correct horse\nkept\n", "db_password = [removed:named-secret]\nkept\n"),
        ("password: |\n  a b\n  c\nkept: 1\n", "password: |\n[removed:named-secret]\nkept: 1\n"),
        ("x --password hunter22 --kept\n", "x --password [removed:named-secret] --kept\n"),
        ("GET /x?password=hunter22&kept=1\n", "GET /x?password=[removed:named-secret]&kept=1\n"),
        ("<password>hunter22</password>\n", "<password>[removed:named-secret]</password>\n"),
        ("id AKIAIOSFODNN7EXAMPLE.\n", "id [removed:cloud-key].\n"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+x\n", "aws_secret_access_key = [removed:named-secret]\n"),
        (f"PrivateKey = {WIREGUARD}\nPublicKey = a\n", "PrivateKey = [removed:named-secret]\nPublicKey = a\n"),
        (f"PresharedKey={WIREGUARD}\n", "PresharedKey=[removed:named-secret]\n"),
        ("git clone https://ghp_0123456789abcdefABCDEF@x/y\n", "git clone https://[removed:service-token]@x/y\n"),
    ],
)
def test_a_value_with_the_name_of_a_secret_is_removed(text: str, left: str) -> None:
    assert scrubbed(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a: {b64(KUBECONFIG)}\nkept\n", "a: [removed:encoded-secret]\nkept\n"),
        (f"a: {b64(b64(KUBECONFIG))}\n", "a: [removed:encoded-secret]\n"),
        (f"a: {b64(b64(gzip.compress(KUBECONFIG.encode())))}\n", "a: [removed:encoded-secret]\n"),
        (f"a: {b64('x' + KEY)} kept\n", "a: [removed:encoded-private-key] kept\n"),
        (f"a: {b64('xx' + KEY)} kept\n", "a: [removed:encoded-private-key] kept\n"),
        (f"a: {b64(KUBECONFIG.encode('utf-16-le'))}\n", "a: [removed:encoded-secret]\n"),
        ("a: " + "\n   ".join(textwrap.wrap(b64(KEY), 40)) + "\nkept:\n", "a: [removed:encoded-private-key]\nkept:\n"),
        (f"a=1&b={quote(KEY)} kept\n", "[removed:encoded-secret] kept\n"),
        (f"b={quote_plus(KEY)} kept\n", "[removed:private-key] kept\n"),
        (f"b={quote(quote(json.dumps({'password': 'hunter2'})))} kept\n", "[removed:encoded-secret] kept\n"),
        (f"a {TOKEN[:40]}\n  {TOKEN[40:]}\nkept it\n", "a [removed:web-token]\nkept it\n"),
        (f"{JOURNAL}{TOKEN[:40]}\n{JOURNAL}{TOKEN[40:]}\n", f"{JOURNAL}[removed:web-token]\n"),
        ("".join(f"{JOURNAL}{line}\n" for line in (KEY + "kept it").splitlines()),
         f"{JOURNAL}[removed:private-key]\n{JOURNAL}kept it\n"),
        (KEY[KEY.index("\n") + 1 :] + "kept\n", "[removed:private-key]\nkept\n"),
    ],
)  # fmt: skip
def test_an_encoded_or_wrapped_secret_is_removed(text: str, left: str) -> None:
    assert scrubbed(text) == left


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_wide_characters_is_searched(encoding: str) -> None:
    left = scrubbed(f"kept\n{KUBECONFIG}{KEY}".encode(encoding))
    assert "kept" in left
    assert "[removed:web-token]" in left
    assert "[removed:private-key]" in left
    assert "MHcC" not in left


def test_what_is_packed_too_deep_or_grows_too_much_is_removed_unread() -> None:
    bomb = gzip.compress(bytes(1_000_000))
    assert scrubbed(f"a {b64(bomb)} kept\n") == "a [removed:packed-data] kept\n"
    assert scrubbed(f"a {b64(gzip.compress(KEY.encode())[:-9])} kept\n") == "a [removed:packed-data] kept\n"
    inner = b64(KUBECONFIG)
    for _ in range(5):
        inner = b64(inner)
    assert scrubbed(f"{inner}\n") in {f"{inner}\n", "[removed:encoded-secret]\n"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SECRET),
        json.dumps(SECRET, indent=1),
        json.dumps({"items": [SECRET, {"kind": "ConfigMap"}]}, indent=4),
        json.dumps({"annotation": json.dumps(SECRET, separators=(",", ":"))}),
        "apiVersion: v1\ndata:\n  user: aHVudGVy\nkind: Secret\nmetadata:\n  name: kept\n",
        "kind: Secret\nmetadata:\n  name: kept\nstringData:\n  user: |\n    aHVudGVy\n    aHVudGVy x\n",
        "items:\n- data:\n    user: aHVudGVy\n  kind: Secret\n  metadata:\n    name: kept\n",
        "a: 1\n---\ndata: {user: aHVudGVy}\nkind: Secret\nmetadata: {name: kept}\n---\n",
    ],
)
def test_the_values_of_a_kubernetes_secret_are_removed(text: str) -> None:
    left = scrubbed(text)
    assert "aHVudGVy" not in left
    assert "kept" in left
    assert "[removed:kubernetes-secret]" in left


def test_the_values_of_other_kubernetes_objects_stay() -> None:
    text = "data:\n  a: aHVudGVy\nkind: ConfigMap\n---\nitems:\n- data:\n    b: c\n  kind: ConfigMap\n- kind: Secret\n"
    assert scrubbed(text) == text
