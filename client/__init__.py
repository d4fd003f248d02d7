"""What talks to a running install: `wait-for`, `status`, `hosts`, `events`, `gather`."""
