"""`cluster0 hosts`: which hosts have registered, which are missing; approve and retry them."""
