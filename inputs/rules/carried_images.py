"""Does the base ISO carry the images that the user's manifests name? Asked where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.model.payload import PayloadManifest
from inputs.document.findings import Finding
from inputs.extra_files.manifests import Manifest


def images_are_carried(manifests: Iterable[Manifest], payload: PayloadManifest) -> Iterator[Finding]:
    """A warning, not an error: a host may well reach a registry or a mirror of one."""
    carried = {_whole(image.reference) for image in payload.images}
    for manifest in manifests:
        for image in manifest.images:
            if _whole(image.value) not in carried:
                rule = f"The image {image.value} is not in the base ISO: hosts have to pull it from a registry."
                yield image.warning("image-not-in-base-iso", rule, "Add it to the payload, or see that they can.")


def _whole(reference: str) -> str:
    """With what Kubernetes adds by itself: docker.io, library/ and :latest."""
    first, slash, _ = reference.partition("/")
    if not slash:
        reference = f"docker.io/library/{reference}"
    elif not ("." in first or ":" in first or first == "localhost"):
        reference = f"docker.io/{reference}"
    last = reference.rpartition("/")[2]
    return reference if ":" in last or "@" in last else f"{reference}:latest"
