"""`python -m cli` is `towerlab`."""

from cli import main

if __name__ == "__main__":  # worker processes import this file under another name
    main()
