"""`python3 -m vm_harness` is `cluster0 lab`."""

from vm_harness.cli import lab

lab(prog_name="cluster0 lab")
