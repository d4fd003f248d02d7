"""From a change to what it leads to: evaluate validations and state tables until nothing changes."""
