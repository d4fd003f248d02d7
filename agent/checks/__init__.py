"""Checks that node0 requests from a host, one a file. They report facts; node0 evaluates them."""
