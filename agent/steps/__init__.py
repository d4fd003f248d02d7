"""What node0 can ask of a host: one step a file, one table of them, one way of running them."""
