"""Are mirrors described in one way?"""

from __future__ import annotations

from collections.abc import Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.facts import Facts


def mirrors_are_given_once(facts: Facts) -> Iterator[Finding]:
    digests = next(facts.install.find(list, "imageDigestSources"), None)
    for contents in facts.install.find(list, "imageContentSources"):
        if contents.value and digests and digests.value:
            rule = "imageContentSources and imageDigestSources exclude each other."
            yield contents.error("mirrors-twice", rule, "Keep imageDigestSources.")
