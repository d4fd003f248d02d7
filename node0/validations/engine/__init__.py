"""What a validation is, what it may know, and how it is evaluated."""
