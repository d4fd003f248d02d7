"""The cluster that a lab runs: its inputs, the machines they describe, its ISO and its SSH key."""
