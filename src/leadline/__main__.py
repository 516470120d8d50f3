"""The `leadline` command, which `python -m leadline` is too."""

import gc
import sys

# What is imported stays: looking through it for garbage, at the end too, took a tenth of a run.
_OBJECTS = 100_000


def start() -> None:
    """Run the command line; an interrupt while it is loaded ends it in silence."""
    gc.set_threshold(_OBJECTS)
    try:
        from leadline.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()


if __name__ == "__main__":
    start()
