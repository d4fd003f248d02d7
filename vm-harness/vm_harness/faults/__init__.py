"""Faults for a host of a lab: each begins on request, ends on request, and remembers nothing in between."""
