"""Step *container-image-availability*: whether the host has every image of its release."""

from __future__ import annotations

import asyncio

import msgspec

from agent.api.checks import ImagesReply, ImagesRequest
from agent.api.steps import Step
from agent.checks.images import DATABASE, images
from agent.model.problems import Problem
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    """Raises Problem `image-store-unreadable`."""
    request = msgspec.json.decode(step.args[0], type=ImagesRequest)
    try:
        found = await asyncio.to_thread(images, context.machine, request.images)
    except OSError as error:
        raise Problem(
            code="image-store-unreadable",
            title=f"{DATABASE} cannot be read: {error.strerror}.",
            remedy="Write the ISO to the medium again, and start this host from it.",
        ) from error
    return msgspec.json.encode(ImagesReply(images=found)).decode()
