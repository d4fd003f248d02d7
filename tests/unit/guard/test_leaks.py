"""The guard finds a deliberate leak of each kind, names it, and removes it before the next test."""

from __future__ import annotations

import os
import textwrap

import pytest

from tests.paths import REPOSITORY

pytest_plugins = ["pytester"]

# `leak` leaks one kind; `is_removed` says whether the guard has removed the leak.
PROCESS = """
    import subprocess, time
    def leak(directory):
        subprocess.run(["sh", "-c", "sleep 97.531 & echo $! >" + str(directory / "pid")])
    def is_removed(directory):
        return not os.path.exists("/proc/" + (directory / "pid").read_text().strip())
"""
DAEMON = """
    import subprocess, sys
    def leak(directory):
        again = "exec env -i setsid sleep 97.531"
        pid = str(directory / "pid")
        subprocess.run(["setsid", "sh", "-c", "(echo $$ >" + pid + "; " + again + ") & exit"])
    def is_removed(directory):
        import psutil
        return not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "97.531"]]
"""
THREAD = """
    import threading
    END = threading.Event()
    def leak(directory):
        threading.Thread(target=END.wait, name="left-thread", daemon=True).start()
    def is_removed(directory):
        END.set()
        return True
"""
MOUNT = """
    import subprocess
    def leak(directory):
        (directory / "left mount").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "none", str(directory / "left mount")], check=True)
    def is_removed(directory):
        return not os.path.ismount(directory / "left mount")
"""
NAMESPACE = """
    import subprocess
    NAME = f"left-{os.getpid()}"
    def leak(directory):
        subprocess.run(["ip", "netns", "add", NAME], check=True)
    def is_removed(directory):
        return not subprocess.run(["ip", "netns", "delete", NAME]).returncode
"""
KINDS = {
    "child": (PROCESS, "process: * sleeping: [[]'sleep', '97.531']"),
    "daemon": (DAEMON, "process: * sleeping: [[]'sleep', '97.531']"),
    "thread": (THREAD, "thread: left-thread"),
}
ROOT_KINDS = {
    "mount": (MOUNT, "mount: tmpfs none at *left mount"),
    "namespace": (NAMESPACE, "namespace: network namespace left-*"),
}
TESTS = """
    def test_leak(directory):
        leak(directory)
    def test_after(directory):
        assert is_removed(directory)
"""
TESTS_OF_A_FIXTURE = """
    @pytest.fixture(scope="{scope}")
    def leaking(directory):
        leak(directory)
    def test_first(leaking, directory):
        assert not is_removed(directory)
    def test_last(leaking, directory):
        assert not is_removed(directory)
"""
TASKS = """
    async def unfinished():
        await asyncio.sleep(97)
    async def test_leak():
        asyncio.create_task(unfinished(), name="left-task")
        await asyncio.sleep(0)
    def test_leak_in_a_loop_of_its_own():
        asyncio.run(test_leak())
    def test_after():
        pass
"""
HARMLESS = """
    from tests.guard import leak_check
    leak_check.GRACE_SECONDS = 10

    import psutil, signal, subprocess, threading, time

    def wait_until(is_so):
        deadline = time.monotonic() + 5
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def test_ends_by_itself():
        threading.Thread(target=time.sleep, args=(0.2,)).start()
        subprocess.run(["sh", "-c", "sleep 0.2 &"])

    def test_orphan_is_reaped_at_once():
        orphan = int(subprocess.run(["sh", "-c", "sleep 0.1 >&- & echo $!"], stdout=subprocess.PIPE).stdout)
        wait_until(lambda: not psutil.pid_exists(orphan))

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_signal_to_the_process_above(number):
        received = []
        before = signal.signal(number, lambda *_: received.append(1))
        os.kill(os.getppid(), number)
        wait_until(lambda: received)
        signal.signal(number, before)
"""


@pytest.fixture
def guarded(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A directory of tests with the guard as its only plugin of this repository."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(
        """
        import pytest
        from tests.guard import leak_check
        pytest_plugins = ["tests.guard.plugin"]
        leak_check.GRACE_SECONDS = 0.5

        @pytest.fixture(scope="session")
        def directory(tmp_path_factory):
            return tmp_path_factory.mktemp("leaks")
        """
    )
    settings = f"[pytest]\npythonpath = {REPOSITORY}\nasyncio_mode = auto\nfilterwarnings =\n    ignore\n"
    (pytester.path / "pytest.ini").write_text(settings)
    return pytester


def run(pytester: pytest.Pytester, **modules: str) -> pytest.RunResult:
    for name, text in modules.items():
        (pytester.path / f"test_{name}.py").write_text(f"import asyncio, os, pytest\n{text}")
    return pytester.runpytest_subprocess("-p", "pytest_asyncio.plugin", f"--basetemp={pytester.path / 'base'}")


def module(*parts: str) -> str:
    return "".join(textwrap.dedent(part) for part in parts)


def test_a_leak_fails_its_own_test_and_not_the_next(guarded: pytest.Pytester) -> None:
    kinds = KINDS | (ROOT_KINDS if os.geteuid() == 0 else {})
    result = run(guarded, **{kind: module(leak, TESTS) for kind, (leak, _) in kinds.items()})
    result.assert_outcomes(passed=2 * len(kinds), errors=len(kinds))
    for _, named in kinds.values():
        result.stdout.fnmatch_lines(["*ERROR at teardown of test_leak*", "left behind:", named])


def test_a_left_task_is_named_with_its_coroutine(guarded: pytest.Pytester) -> None:
    result = run(guarded, it=module(TASKS))
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["left behind:", "asyncio task: left-task", "*test_it.py*in unfinished"])


@pytest.mark.parametrize("scope", ["module", "session"])
def test_a_leak_of_a_longer_fixture_is_not_blamed_on_its_tests(guarded: pytest.Pytester, scope: str) -> None:
    leak, named = KINDS["child"]
    result = run(guarded, fixture=module(leak, TESTS_OF_A_FIXTURE.format(scope=scope)))
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at teardown of test_last*", "left behind:", named])


def test_what_ends_by_itself_and_signals_are_as_without_the_guard(guarded: pytest.Pytester) -> None:
    """The parent process of pytest reaps orphans as init does, and forwards signals that a script sends to it."""
    run(guarded, harmless=module(HARMLESS)).assert_outcomes(passed=4)


@pytest.mark.parametrize(("end", "code"), [("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", -9)])
def test_the_process_above_ends_as_pytest_does(guarded: pytest.Pytester, end: str, code: int) -> None:
    assert run(guarded, it=f"def test_end(): {end}\n").ret == code
