"""The base ISO carries the images that the user's manifests name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.model.payload import PayloadManifest
from inputs.document.findings import Finding
from inputs.extra_files.manifests import Manifest


def images_are_carried(manifests: Iterable[Manifest], payload: PayloadManifest) -> Iterator[Finding]:
    """A warning, not an error: hosts may reach a registry or a mirror of it."""
    carried = {_qualified(image.reference) for image in payload.images}
    for manifest in manifests:
        for image in manifest.images:
            if _qualified(image.value) not in carried:
                rule = f"The image {image.value} is not in the base ISO, so hosts must pull it from a registry."
                remedy = "Add it to the payload, or make sure that the hosts reach a registry with it."
                yield image.warning("image-not-in-base-iso", rule, remedy)


def _qualified(reference: str) -> str:
    """The full reference, with the defaults of container runtimes: docker.io, library/ and :latest."""
    first, slash, _ = reference.partition("/")
    if not slash:
        reference = f"docker.io/library/{reference}"
    elif not ("." in first or ":" in first or first == "localhost"):
        reference = f"docker.io/{reference}"
    last = reference.rpartition("/")[2]
    return reference if ":" in last or "@" in last else f"{reference}:latest"
