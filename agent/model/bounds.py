"""How much a host may tell node0, as types of fields: node0's service refuses a longer text or list.

They are several times what large servers have. One host cannot make the service's work long, or fill its memory.
`agent.inventory.bounded` cuts the inventory of a host that has more.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

# Names of devices are at most 15 (NICs) to 255 (files) characters long; models and serials are shorter.
Name = Annotated[str, Meta(max_length=255)]

Text = Annotated[str, Meta(max_length=1024)]

# x86-64 has a kernel command line of at most 2048 characters, arm64 one of 2048, s390 one of 4096.
LongText = Annotated[str, Meta(max_length=4096)]

# An address with its prefix length; with a zone it is as long as this plus a NIC's name.
Address = Annotated[str, Meta(max_length=64)]

Addresses = Annotated[tuple[Address, ...], Meta(max_length=256)]

Names = Annotated[tuple[Name, ...], Meta(max_length=64)]

Texts = Annotated[tuple[Text, ...], Meta(max_length=64)]

# Of all NICs together. Each is parsed, and compared with the others.
MOST_ADDRESSES = 512


def shortened(text: str, most: int) -> str:
    """The first `most` characters of `text`, and a mark if there were more."""
    return text if len(text) <= most else f"{text[:most]} […]"
