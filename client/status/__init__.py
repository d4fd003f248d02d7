"""`cluster0 status`: one look at an install, from outside."""
