"""`python3 -m agent`, in the image `cluster0-agent`."""

import sys

from agent.cli import main

sys.exit(main())
