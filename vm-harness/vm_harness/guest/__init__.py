"""A running guest as seen from outside: serial console, SSH, and waits for them."""
