"""A lab from request to removal: inputs, ISO, machines, state, and its commands."""
