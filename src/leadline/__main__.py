"""The `leadline` command, which `python -m leadline` is too."""

import sys


def start() -> None:
    """Run the command line; an interrupt while it is loaded ends it in silence."""
    try:
        from leadline.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    start()
