"""The format of our ISOs: which files they have, where these are, and the areas that may be overwritten."""
