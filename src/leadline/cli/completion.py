"""Values that a shell completes: quick, and silent where they cannot be found."""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completing(names: Callable[[click.Context], Iterable[str]]) -> Complete:
    """Return what completes the last of some words with commas to these names."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, word = incomplete.rpartition(",")
        try:
            found = [name for name in names(ctx) if name.startswith(word)]
        except Exception:  # a shell has no place for what went wrong
            return []
        return [CompletionItem(f"{before}{comma}{name}") for name in found]

    return complete


def _mpis(_: click.Context) -> list[str]:
    from leadline.site.mpi.discovery import find_installations

    return ["all", *(each.name for each in find_installations() if each.family != "fake")]


def _runs(ctx: click.Context) -> list[str]:
    from leadline.core import paths
    from leadline.store.folder import run_paths

    runs = run_paths(ctx.params.get("runs") or paths.runs())
    return ["last", *(path.name for path in reversed(runs))]


def _benchmarks(_: click.Context) -> list[str]:
    from leadline.core.shipped import benchmarks, source_folder

    return [name for name in benchmarks(source_folder()) if not name.startswith("fake/")]


def _plans(_: click.Context) -> list[str]:
    from leadline.measure.plan.plans import shipped_plans

    return list(shipped_plans())


def _platforms(_: click.Context) -> list[str]:
    from leadline.topology.platforms.catalogue import known_platforms

    return sorted(known_platforms())


def _questions(_: click.Context) -> list[str]:
    from leadline.analysis.questions import shipped_questions

    return list(shipped_questions())


complete_mpis = completing(_mpis)
complete_runs = completing(_runs)
complete_benchmarks = completing(_benchmarks)
complete_plans = completing(_plans)
complete_platforms = completing(_platforms)
complete_what = completing(lambda ctx: [*_plans(ctx), *_benchmarks(ctx)])
complete_to_run = completing(lambda ctx: [*_questions(ctx), *_plans(ctx), *_benchmarks(ctx)])
