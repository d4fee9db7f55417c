"""`python -m minicc`."""

from minicc.cli import entry

entry()
