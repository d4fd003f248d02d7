"""Network plugin `host-gateway`: pods reach each other by plain routes between hosts on one link.

For labs and CI, where no images of a plugin are available: no encapsulation, no policies, no host on another network.
"""

PLUGIN = "host-gateway"
UNIT = "cluster0-podnet.service"
