"""Manual pages, one a command, made from the definitions that `--help` shows: `python -m image_build.man DIR`."""
