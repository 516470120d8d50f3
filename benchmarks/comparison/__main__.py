"""The command `benchmarks/run`: each benchmark is a module with a `command`."""

import importlib
import sys

import click

from leadline.core.errors import UserError

BENCHMARKS = {
    "peers": "leadline and IMB on the same MPI",
    "builds": "probes built for an ABI and for the installation",
    "runtime": "unmodified programs with and without the preloaded runtime",
    "programs": "real programs with the library, untuned, learnt and tuned",
    "profilers": "what `leadline explain` adds, beside other profilers",
    "waits": "random programs whose waits are known, explained",
    "alike": "two runs of one plan: false alarms, and a slower figure found",
    "nights": "nights of `leadline watch` replayed: false alarms, and steps found",
    "screening": "`leadline screen` on a modelled or a virtual cluster",
    "coverage": "how often 95 % intervals hold the truth",
}

# The folder of programs in other languages has the name of one.
_MODULES = {"programs": "real_programs"}


def main() -> None:
    """Start the benchmark that is named; bad input is one line and exit status 2."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print("Usage: benchmarks/run NAME [OPTIONS]\n")
        print("\n".join(f"  {name:11}{sentence}" for name, sentence in BENCHMARKS.items()))
        return
    try:
        if name not in BENCHMARKS:
            raise UserError(f"no benchmark {name!r}: take one of {', '.join(BENCHMARKS)}")
        command = importlib.import_module(f"comparison.{_MODULES.get(name, name)}").command
        command(sys.argv[2:], prog_name=f"benchmarks/run {name}", standalone_mode=False)
    except (UserError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else error
        print(f"{name}: {text}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)


if __name__ == "__main__":
    main()
