"""What runs on the build host: the `cluster0` command, the live ISO, the payload, one-time data."""
