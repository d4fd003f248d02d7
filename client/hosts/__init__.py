"""`cluster0 hosts`: who has registered, who is missing, and what a person may decide about them."""
