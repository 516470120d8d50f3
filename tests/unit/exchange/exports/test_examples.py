"""The ready-made test and application read the lines that leadline writes."""

import re
import runpy
import sys
from types import ModuleType, SimpleNamespace

import pytest
from checkout import CHECKOUT
from exports_examples import MEASURED, a_run, analysis, figure

from leadline.exchange.exports import export
from leadline.exchange.exports.figures import figure_names

EXAMPLES = CHECKOUT / "examples"
LINES = export("lines").write(a_run(), analysis(MEASURED, figure(verified=False, mpi="other")))


@pytest.fixture
def modules(monkeypatch):
    """Modules of these names that hold these things, for the code under test."""

    def make(**named):
        for name, content in named.items():
            module = ModuleType(name.replace("__", "."))
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return make


def test_the_ramble_application_finds_the_figures(modules):
    """By the documented rules: regular expressions from the start of each line, named groups."""
    found = {"contexts": [], "merits": [], "criteria": []}
    ignored = ("executable", "workload", "workload_variable")
    directives = {name: lambda *args, **kwargs: None for name in ignored} | {
        "ExecutableApplication": object,
        "figure_of_merit_context": lambda name, **kwargs: found["contexts"].append(kwargs),
        "figure_of_merit": lambda name, **kwargs: found["merits"].append((name, kwargs)),
        "success_criteria": lambda name, **kwargs: found["criteria"].append(kwargs),
    }
    modules(ramble={}, ramble__appkit=directives)
    runpy.run_path(
        str(EXAMPLES / "ramble" / "applications" / "leadline-pingpong" / "application.py")
    )
    (context,) = found["contexts"]
    values, current = {}, None
    for line in LINES.splitlines(keepends=True):
        if match := re.match(context["regex"], line):
            current = context["output_format"].format(**match.groupdict())
        for name, merit in found["merits"]:
            if match := re.match(merit["fom_regex"], line):
                values[current, name] = float(match[merit["group_name"]])
    for name in figure_names([MEASURED, figure(mpi="other")]):
        assert values[name, "median"] == 2e-6
        assert values[name, "bandwidth"] == 4.0
        assert values[name, "p99"] == 4e-6
    lines = LINES.splitlines()
    met = [any(re.match(one["match"], line) for line in lines) for one in found["criteria"]]
    assert met == [True, False]


def test_the_reframe_test_finds_the_figures(modules, tmp_path):
    sanity = {
        "all": lambda each: all(each),
        "assert_found": lambda pattern, name: bool(
            re.search(pattern, (tmp_path / name).read_text(), re.MULTILINE)
        ),
        "defer": lambda value: value,
        "make_performance_function": lambda value, unit: (value, unit),
    }

    class Test:
        def __init_subclass__(cls):
            cls.perf_variables = {}

    builtins = {"sanity_function": lambda made: made, "run_before": lambda stage: lambda made: made}
    modules(
        reframe={"RunOnlyRegressionTest": Test, "simple_test": lambda made: made},
        reframe__utility={},
        reframe__utility__sanity=sanity,
    )
    sys.modules["reframe"].utility = SimpleNamespace(sanity=sys.modules["reframe.utility.sanity"])
    made = runpy.run_path(str(EXAMPLES / "reframe" / "pingpong.py"), init_globals=builtins)
    test = made["PingPong"]()
    test.stagedir = tmp_path
    (tmp_path / "figures.txt").write_text(LINES)
    assert not test.is_sound()
    test.read_figures()
    first = figure_names([MEASURED])[0]
    assert test.perf_variables[f"{first}/median"] == (2e-6, "s")
    assert test.perf_variables[f"{first}/bandwidth"] == (4.0, "MB/s")
    assert len(test.perf_variables) == 4
    (tmp_path / "figures.txt").write_text(export("lines").write(a_run(), analysis(MEASURED)))
    assert test.is_sound()
