"""What every host runs: find the network by MAC, take inventory, check, install, report.

The ground floor of the project: `node0` and the build side import from here, never the other way round.
"""
