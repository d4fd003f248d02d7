"""The steps that node0 can instruct a host to run: one a file, one table of them, one runner."""
