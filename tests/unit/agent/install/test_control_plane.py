"""The install reports the problem of the bootstrap unit, and stops the control plane's pods."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.install.control_plane import bootstrap, stop_control_plane
from agent.machine import Machine
from agent.model.host_documents import BootstrapResult
from agent.model.host_paths import BOOTSTRAP_FILE
from agent.model.problems import Problem, ProblemReport
from tests.fakes.agent.machine import Programs, machine_in

STOP_FAILS = """
case "$*" in
    "kill --signal=KILL kubepods.slice") touch {killed} ;;
    "stop kubepods.slice") exit 5 ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    programs.add("sync")
    programs.add("journalctl", "echo 'Traceback: the last line'")
    return programs


async def test_a_successful_bootstrap_unit_raises_nothing(machine: Machine, programs: Programs) -> None:
    await bootstrap(machine)
    assert programs.calls == ["systemctl start cluster0-bootstrap.service"]


async def test_the_problem_of_the_bootstrap_unit_is_raised(machine: Machine, programs: Programs) -> None:
    result = BootstrapResult(
        problem=ProblemReport(code="kubeadm-init-failed", title="It failed.", detail="kubeadm's output")
    )
    machine.files.save("/result.json", result)
    programs.add("systemctl", f"cp {machine.files.at('/result.json')} {machine.files.at(BOOTSTRAP_FILE)}; exit 1")
    machine.files.at(BOOTSTRAP_FILE).parent.mkdir(parents=True)
    with pytest.raises(Problem) as caught:
        await bootstrap(machine)
    assert (caught.value.code, caught.value.detail) == ("kubeadm-init-failed", "kubeadm's output")


async def test_a_bootstrap_result_of_an_earlier_attempt_is_ignored(machine: Machine, programs: Programs) -> None:
    machine.files.save(BOOTSTRAP_FILE, BootstrapResult(problem=ProblemReport(code="old", title="An earlier attempt.")))
    programs.add("systemctl", "exit 1")
    with pytest.raises(Problem) as caught:
        await bootstrap(machine)
    assert caught.value.code == "bootstrap-failed"
    assert "the last line" in caught.value.detail


async def test_pods_that_do_not_stop_are_killed(machine: Machine, programs: Programs) -> None:
    programs.add("systemctl", STOP_FAILS.format(killed=machine.files.at("/killed")))
    machine.files.at("/killed").parent.mkdir(parents=True)
    await stop_control_plane(machine, "192.0.2.10")
    assert "systemctl kill --signal=KILL kubepods.slice" in programs.calls
    assert programs.calls[-2:] == ["systemctl stop containerd.service", "sync "]


async def test_the_api_address_leaves_before_the_kubelet_and_the_kubelet_before_its_pods(
    machine: Machine, programs: Programs
) -> None:
    await stop_control_plane(machine, "192.0.2.10")
    assert programs.calls == [
        "systemctl stop keepalived.service",
        "systemctl stop kubelet.service",
        "systemctl stop kubepods.slice",
        "systemctl stop containerd.service",
        "sync ",
    ]
