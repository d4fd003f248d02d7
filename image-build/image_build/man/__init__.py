"""Manual pages, one a command, from the same definitions as `--help`: `python -m image_build.man DIR`."""
