"""Where things are in an ISO file: read it, and find the areas that may be written."""
