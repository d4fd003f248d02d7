"""The list of validations: each is declared in the file named after its id, and each file is in the list."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import pytest

from node0 import validations
from node0.validations import cluster, host
from node0.validations.engine.validation import Validation

LISTS: dict[str, tuple[ModuleType, tuple[Validation[Any], ...]]] = {
    "host": (host, validations.HOST_VALIDATIONS),
    "cluster": (cluster, validations.CLUSTER_VALIDATIONS),
}


def declared(package: ModuleType) -> dict[str, Validation[Any]]:
    """Module name without its packages → the `VALIDATION` that it declares."""
    modules = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    loaded = (importlib.import_module(module.name) for module in modules)
    return {found.__name__.rpartition(".")[2]: found.VALIDATION for found in loaded if hasattr(found, "VALIDATION")}


@pytest.mark.parametrize("kind", LISTS)
def test_each_validation_file_is_named_after_its_id_and_listed(kind: str) -> None:
    package, listed = LISTS[kind]
    found = declared(package)
    assert {name: item.id for name, item in found.items()} == {item.id.replace("-", "_"): item.id for item in listed}
    assert {id(item) for item in found.values()} == {id(item) for item in listed}


@pytest.mark.parametrize("kind", LISTS)
def test_validation_ids_are_unique(kind: str) -> None:
    ids = [item.id for item in LISTS[kind][1]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("item", [item for _, listed in LISTS.values() for item in listed], ids=lambda item: item.id)
def test_a_condition_is_explained_in_words(item: Validation[Any]) -> None:
    assert item.when or item.applies.__name__ == "always"
