"""Network plugin `host-gateway`: pods reach each other by plain routes between hosts on one link.

For labs and CI, where no plugin's images can be had: no encapsulation, no policies, no host on another network.
"""

PLUGIN = "host-gateway"
UNIT = "cluster0-podnet.service"
