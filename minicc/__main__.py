"""`python -m minicc`."""

import sys

from minicc.cli import main

sys.exit(main())
