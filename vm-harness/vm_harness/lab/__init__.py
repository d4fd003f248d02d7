"""A lab from request to removal: plan, start, state, status, removal, and the commands of `cluster0 lab`."""
