"""Proves, before an ISO is written, that every container image the cluster will ask for is in it."""

from __future__ import annotations

from collections.abc import Iterable

from agent.model.payload import PayloadManifest
from agent.model.problems import Problem


def require_every_image(payload: PayloadManifest, store: Iterable[str]) -> None:
    """`store`: references that containerd lists for the store. Problem: `image-missing`, naming each one."""
    missing = sorted(wanted_images(payload) - set(store))
    if missing:
        raise Problem(
            code="image-missing",
            title=f"The image store lacks {len(missing)} of the images that the cluster will ask for.",
            detail="\n".join(missing),
            remedy="Build the payload again. If it names an image that it does not bring, that is a bug of its build.",
        )


def wanted_images(payload: PayloadManifest) -> set[str]:
    """Whatever the payload's programs and manifests will ask for."""
    named = {payload.pause, payload.etcd, *(image.reference for image in payload.images)}
    return named | ({payload.coredns} if payload.coredns else set())
