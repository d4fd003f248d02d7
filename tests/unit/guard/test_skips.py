"""Skips in pytest's own runs: each test writes a small project and runs pytest on it."""

from __future__ import annotations

import pytest

from tests.paths import REPOSITORY

pytest_plugins = ["pytester"]

CONFTEST = """
from tests.guard.machine_limits import MachineLimit
from tests.guard.skips import Skips
import os

BONDING = MachineLimit("no bonding in the kernel", lambda: False)
LOOP = MachineLimit("no loop devices", lambda: True)

def pytest_configure(config):
    config.pluginmanager.register(Skips((BONDING, LOOP), in_ci="CI" in os.environ))
"""
MACHINE_LIMIT = """
import pytest
from conftest import BONDING

def test_bond(): BONDING.skip_without()

@pytest.mark.skipif(True, reason=BONDING.reason)
def test_bond_over_vlan(): pass

def test_other(): pass
"""
MISSING_PAYLOAD = """
import pytest

@pytest.fixture
def payload(): pytest.skip("no payload in the cache:\\n  make image")

def test_api(payload): pass
def test_etcd(payload): pass
def test_other(): pass
"""
CLAIM = """
import pytest

def test_disk(): pytest.skip("no loop devices")
"""
MODULE = """
import pytest

pytest.skip("needs faketime", allow_module_level=True)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the plugin, outside CI, for runs in a process of their own."""
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("CI", raising=False)
    pytester.makeconftest(CONFTEST)
    return pytester


def run(project: pytest.Pytester, module: str) -> pytest.RunResult:
    project.makepyfile(module)
    return project.runpytest_subprocess("-p", "no:cacheprovider")


def test_a_limit_of_the_machine_is_skipped_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(project, MACHINE_LIMIT)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["skipped 2: no bonding in the kernel", "=* 1 passed, 2 skipped in *"])


def test_any_other_reason_fails_the_run_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(project, MISSING_PAYLOAD)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["In CI this must run, and it was skipped: no payload in the cache: make image"])


def test_a_limit_that_the_machine_does_not_have_fails_the_run_in_ci(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    run(project, CLAIM).assert_outcomes(failed=1)


def test_a_skipped_module_fails_the_run_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(project, MODULE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["In CI this must run, and it was skipped: needs faketime"])


def test_outside_ci_every_skip_is_listed_with_its_reason(project: pytest.Pytester) -> None:
    project.makepyfile(test_claim=CLAIM, test_module=MODULE)
    result = run(project, MISSING_PAYLOAD)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, skipped=4)
    result.stdout.fnmatch_lines_random([
        "skipped 2: no payload in the cache: make image",
        "skipped 1: no loop devices",
        "skipped 1: needs faketime",
    ])  # fmt: skip


def test_a_run_without_skips_says_so(project: pytest.Pytester) -> None:
    run(project, "def test_it(): pass").stdout.fnmatch_lines(["skipped 0"])


def test_an_expected_failure_is_no_skip(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(project, "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["skipped 0"])
