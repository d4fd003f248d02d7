"""`python3 -m cli` is `cluster0`."""

from cli.main import main

main(prog_name="cluster0")
