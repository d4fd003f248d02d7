"""`python3 -m image_build` is `cluster0`."""

from image_build.cli import main

main(prog_name="cluster0")
