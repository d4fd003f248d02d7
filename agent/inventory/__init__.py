"""The hardware and system of this host, one collector a file. Reading is apart from parsing, for recorded machines."""
