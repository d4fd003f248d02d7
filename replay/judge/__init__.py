"""What node0 says of a recorded machine: its own changes, plans and validations, run in this process."""
