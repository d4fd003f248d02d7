"""Removes secrets from what leaves a host or node0: known secrets by their text, others by their form or their name.

node0's service scrubs what hosts upload and report; `cluster0 gather` scrubs what it collects. The result counts the
removed secrets by kind.

Strangers write these texts, so the time is linear in their length. A text is searched in windows. A pattern takes
quantifiers that never give back (`++`, `{…}+`). It begins with a literal, or where a run of its characters begins.
After that it either fails within a bounded number of characters, or it removes all that it has read.
"""

from node0.trust.scrub.archive import MAX_UNPACKED_BYTES
from node0.trust.scrub.known import of_node0
from node0.trust.scrub.process import scrub_archive
from node0.trust.scrub.scrubber import MAX_TEXT, Scrubber

__all__ = ["MAX_TEXT", "MAX_UNPACKED_BYTES", "Scrubber", "of_node0", "scrub_archive"]
