"""Reconciles after each change: evaluates validations and state tables until nothing changes."""
