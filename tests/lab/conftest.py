"""Labs of containers: the fixtures are those of the virtual machines."""

from __future__ import annotations

from tests.vm.conftest import _test_leaves_nothing, base_iso, labs, pytest_runtest_makereport

__all__ = ["_test_leaves_nothing", "base_iso", "labs", "pytest_runtest_makereport"]
