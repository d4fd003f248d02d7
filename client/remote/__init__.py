"""What every command that talks to a running install needs: where it is, and a way to its service."""
