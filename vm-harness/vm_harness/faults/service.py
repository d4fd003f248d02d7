"""node0's service: what it needs is missing, a second one comes up, or a host answers it with lies."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

from vm_harness.faults.fault import Fault, Target

SERVICE = "cluster0-node0.service"
KEYS = "/etc/cluster0/node0"
OCCUPANT = "lab-occupant"
LIAR = "lab-liar"
LIES = Path(__file__).parent / "inside/lies.py"
RENDEZVOUS = '$(sudo python3 -c \'import json; print(json.load(open("/etc/cluster0/cluster.json"))["rendezvous_ip"])\')'
FIRST = "python3 -c 'import json, sys; print(next(filter(None, json.load(sys.stdin)))[\"{key}\"])'"
"""The value of `key` in ip(8)'s first answer."""
AGENT = "cluster0-agent.service"


def occupy_port(target: Target) -> None:
    """Another program gets the port first, as at a start of the host."""
    serve = "sudo systemd-run --quiet --collect --unit={unit} python3 -m http.server --directory /var/empty 8090"
    target.node.succeed(
        f"sudo mkdir -p /var/empty; sudo systemctl stop {SERVICE} && {serve.format(unit=OCCUPANT)} && sleep 1; "
        f"sudo systemctl start --no-block {SERVICE}"
    )


def free_port(target: Target) -> None:
    target.node.succeed(f"sudo systemctl stop {OCCUPANT}; sudo systemctl restart --no-block {SERVICE}")


def replace_key(name: str, content: str, target: Target) -> None:
    """`content`: of the key's file from now on; empty: the file is gone. The service starts again, and reads it."""
    key = f"{KEYS}/{name}"
    spoil = f"echo {shlex.quote(content)} | sudo tee {key} >/dev/null" if content else f"sudo rm {key}"
    target.node.succeed(f"sudo cp -pn {key} {key}.good && {spoil}; sudo systemctl restart --no-block {SERVICE}")


def restore_key(name: str, target: Target) -> None:
    key = f"{KEYS}/{name}"
    target.node.succeed(f"sudo mv {key}.good {key}; sudo systemctl restart --no-block {SERVICE}")


def become_second_node0(target: Target) -> None:
    """The host gets the rendezvous address, too. Its agent starts a second service, as on a host with a wrong input."""
    nic = f"$(ip -json route get {RENDEZVOUS} | {FIRST.format(key='dev')})"
    target.node.succeed(f"sudo ip address add {RENDEZVOUS} dev {nic}")


def be_first_again(target: Target) -> None:
    """Without the address, and with an agent that starts over."""
    nic = f"$(ip -json address show to {RENDEZVOUS} | {FIRST.format(key='ifname')})"
    target.node.succeed(
        f"sudo ip address delete {RENDEZVOUS} dev {nic}; sudo systemctl stop cluster0-node0.target; "
        f"sudo systemctl restart {AGENT}"
    )


def lie(target: Target) -> None:
    """A program takes the agent's place: it registers as this host, and answers each step wrongly."""
    script = shlex.quote(LIES.read_text())
    target.node.succeed(
        f"sudo systemctl stop {AGENT}; sudo systemd-run --quiet --collect --unit={LIAR} python3 -P -c {script}"
    )


def stop_lying(target: Target) -> None:
    target.node.succeed(f"sudo systemctl stop {LIAR}; sudo systemctl start {AGENT}")


def _key(fault: str, name: str, summary: str, content: str = "") -> Fault:
    return Fault(name=fault, summary=summary, begin=partial(replace_key, name, content), end=partial(restore_key, name))


FAULTS = (
    Fault(
        name="port-taken",
        summary="Another program on node0 has the port of the service, which starts after it.",
        begin=occupy_port,
        end=free_port,
    ),
    _key("bad-tls-key", "tls.key", "The service's TLS key is no key.", "not a key"),
    _key("missing-token-key", "token.key", "The key for the service's tokens is missing."),
    _key("bad-token-key", "token.key", "The key for the service's tokens is no key.", "not a key"),
    Fault(
        name="second-node0",
        summary="The host takes the rendezvous address, too, and becomes a second node0.",
        begin=become_second_node0,
        end=be_first_again,
    ),
    Fault(
        name="lies",
        summary="A program in place of the host's agent answers each of node0's steps wrongly: nonsense, too much of "
        "it, wrong ids, disks and stages that do not exist.",
        begin=lie,
        end=stop_lying,
    ),
)
