"""`python -m towerlab`: the command."""

from towerlab.cli import main

main()
