"""What hosts find out about each other."""
