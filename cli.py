"""The door for the terminal: `towerlab`, or ``python -m cli``."""

from commands import main, towerlab

__all__ = ["main", "towerlab"]

if __name__ == "__main__":
    main()
