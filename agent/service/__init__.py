"""The agent as a service: register, ask for instructions, run steps, report."""
