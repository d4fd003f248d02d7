"""What runs in a machine, seen from outside: console, SSH, evidence."""
