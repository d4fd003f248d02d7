"""What every host runs: find the network by MAC, take inventory, check, install, report.

`node0`, the build side and the client import from here; the agent imports none of them.
"""
