"""How the `cluster0` command speaks: words and progress on standard error, results on standard output, exit codes."""
