"""``python -m suasion`` is the same as the command ``suasion``."""

from suasion.cli import main

if __name__ == "__main__":
    main()
