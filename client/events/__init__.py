"""`cluster0 events`: node0's events, as they occur."""
