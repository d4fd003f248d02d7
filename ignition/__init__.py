"""Writes Ignition configs, specification 3.3.0 (the newest that Debian's Ignition 2.14 accepts).

A library: it knows the specification and nothing of this project, and imports nothing of ours.
"""
