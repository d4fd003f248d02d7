"""The virtual addresses of the API and of ingress."""
