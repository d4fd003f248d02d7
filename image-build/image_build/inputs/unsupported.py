"""Fields of the formats we read that we do not use: each with what becomes of it.

A field that changes nothing here is ignored with a warning, so that existing files can be used. A field that asks for
something we cannot do yet is an error, so that nobody believes it was done.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType

from image_build.inputs.findings import Severity
from image_build.inputs.source import Pattern


@dataclass(frozen=True)
class Unsupported:
    pattern: Pattern
    severity: Severity
    rule: str
    remedy: str

    @property
    def code(self) -> str:
        return "field-ignored" if self.severity is Severity.WARNING else "not-supported-yet"


def _ignored(*pattern: str | EllipsisType, why: str) -> Unsupported:
    return Unsupported(pattern, Severity.WARNING, f"This field is ignored: {why}.", "Remove it to end this warning.")


def _not_yet(*pattern: str | EllipsisType, what: str, instead: str) -> Unsupported:
    return Unsupported(pattern, Severity.ERROR, f"Not supported yet: {what}.", instead)


_PLATFORMS = ("baremetal", "vsphere", "nutanix", "external")
_HINTS = ("hctl", "model", "vendor", "serialNumber", "minSizeGigabytes", "wwn", "rotational")
_OPENSHIFT = "it only means something to OpenShift"
_PAYLOAD = "the payload in the base ISO decides it"

INSTALL_CONFIG: tuple[Unsupported, ...] = (
    _ignored("networking", "networkType", why=_PAYLOAD),
    _ignored("publish", why=_OPENSHIFT),
    _ignored("credentialsMode", why=_OPENSHIFT),
    _ignored("capabilities", why=_OPENSHIFT),
    _ignored("featureSet", why=_OPENSHIFT),
    _ignored("cpuPartitioningMode", why=_OPENSHIFT),
    _ignored("bootstrapInPlace", why="the disk is chosen by rootDeviceHints"),
    _ignored("controlPlane", "hyperthreading", why=_OPENSHIFT),
    _ignored("controlPlane", "platform", why="one platform holds for the whole cluster"),
    _ignored("controlPlane", "architecture", why="the base ISO decides it"),
    *(
        _ignored("compute", ..., field, why=why)
        for field, why in (
            ("hyperthreading", _OPENSHIFT),
            ("platform", "one platform holds for the whole cluster"),
            ("architecture", "the base ISO decides it"),
        )
    ),
    *(
        _not_yet("platform", name, what=f"platform {name}", instead="Write `platform: {none: {}}`.")
        for name in _PLATFORMS
    ),
    _not_yet("proxy", what="a proxy", instead="Remove it: the install needs no network outside the site."),
    _not_yet("imageDigestSources", what="registry mirrors", instead="Remove it: every image is on the ISO."),
    _not_yet("imageContentSources", what="registry mirrors", instead="Remove it: every image is on the ISO."),
    _not_yet("additionalTrustBundle", what="additional CAs", instead="Remove it."),
    _not_yet("fips", what="FIPS mode", instead="Remove it."),
)

AGENT_CONFIG: tuple[Unsupported, ...] = (
    _not_yet("minimalISO", what="an ISO without the root image", instead="Remove it."),
    _not_yet("bootArtifactsBaseURL", what="booting over the network", instead="Remove it."),
    _not_yet("ipxeBaseURL", what="booting over the network", instead="Remove it."),
    *(
        _not_yet("hosts", ..., "rootDeviceHints", hint, what=f"choosing a disk by {hint}", instead="Use deviceName.")
        for hint in _HINTS
    ),
)
