"""The process of `scrub_archive`."""

import sys

from node0.trust.scrub.process import main

sys.exit(main(sys.argv[1:]))
