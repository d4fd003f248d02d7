"""`cluster0 status`: the state of an install at this moment, observed from outside."""
