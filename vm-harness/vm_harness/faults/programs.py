"""Programs of a host that are killed, or stop answering without ending."""

from __future__ import annotations

from functools import partial

from vm_harness.faults.fault import Fault, Target

UNITS = {
    "agent": "cluster0-agent.service",
    "service": "cluster0-node0.service",
    "driver": "cluster0-create-cluster.service",
    "bootstrap": "cluster0-bootstrap.service",
    "containerd": "containerd.service",
    "kubelet": "kubelet.service",
}
WORDS = {
    "agent": "The agent",
    "service": "node0's service",
    "driver": "The driver on node0",
    "bootstrap": "The bootstrap on node0, which runs `kubeadm init`,",
    "containerd": "containerd",
    "kubelet": "The kubelet",
    "etcd": "etcd",
    "apiserver": "The API server",
}
IN_PODS = {"etcd": "etcd", "apiserver": "kube-apiserver"}


def send(program: str, signal: str, target: Target) -> None:
    """Raises `Problem` (`guest-command`) when the program does not run."""
    target.node.succeed(_command(program, signal))


def go_on(program: str, target: Target) -> None:
    """Nothing where the program has ended meanwhile: its starter may have replaced it."""
    target.node.execute(_command(program, "SIGCONT"))


def _command(program: str, signal: str) -> str:
    if program in UNITS:
        return f"sudo systemctl kill --kill-whom=main --signal={signal} -- {UNITS[program]}"
    return f"sudo pkill --signal {signal} --exact {IN_PODS[program]}"


def _faults(program: str) -> tuple[Fault, Fault]:
    starter = "nothing starts it again" if program == "bootstrap" else "it is started again at once"
    killed = Fault(
        name=f"kill-{program}",
        summary=f"{WORDS[program]} is killed (SIGKILL); {starter}.",
        begin=partial(send, program, "SIGKILL"),
    )
    stopped = Fault(
        name=f"stop-{program}",
        summary=f"{WORDS[program]} stops (SIGSTOP): connections stay open, and no answer comes until the fault ends.",
        begin=partial(send, program, "SIGSTOP"),
        end=partial(go_on, program),
    )
    return killed, stopped


FAULTS = tuple(fault for program in (*UNITS, *IN_PODS) for fault in _faults(program))
