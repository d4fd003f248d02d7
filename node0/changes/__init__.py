"""What callers can change, one file a change; each is given to `node0.conductor.Conductor.apply`."""
