"""docs/reference/json.md names every field that is printed, and none that is not."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from leadline.analysis.findings import SEVERITIES
from leadline.check.fault import Fault
from leadline.check.report import CheckedRank, CheckedThread, LaunchCheck
from leadline.check.transports import Transport
from leadline.cli.answer import ANSWER_FORMAT, answer, answered
from leadline.explain.case import Advice
from leadline.explain.difference import CallDifference, ExplainedDifference
from leadline.explain.lateness import Lateness
from leadline.explain.owners import Efficiency, RankTime
from leadline.explain.report import Explained, SiteTime
from leadline.explain.report import Sent as SentByRank
from leadline.model.comparison import Compared, Comparison, Difference, Failure, Turn
from leadline.model.description import (
    Axis,
    Benchmark,
    Delivery,
    KnownFigure,
    Processes,
    Roof,
    Series,
    Term,
    Trial,
    Yardstick,
)
from leadline.model.imported import Bound, Remark, Table
from leadline.model.installation import Installation
from leadline.model.interference import Interference, InterferingJob, InterferingProgram, Link
from leadline.model.jobs import CoresByKind, Job, Node, NodeKind, Region
from leadline.model.map import Map, MapJob, MapLink, MapNode, Traffic
from leadline.model.nights import NightFigure, Nights
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise
from leadline.model.plan import Plan
from leadline.model.platform import Vertex
from leadline.model.prediction import (
    BusiestLink,
    Fastest,
    LeftOut,
    LogGPMachine,
    PredictedJitter,
    Prediction,
    Predictions,
    Way,
)
from leadline.model.profiled import ProfiledCalls, ProfiledRank, ProgramProfile
from leadline.model.published import Held
from leadline.model.question import Question
from leadline.model.run import Clock, Outcome, Run
from leadline.model.screen import Screen, Suspect
from leadline.model.setting import Setting
from leadline.model.shape import LevelChange, Mode, Shape
from leadline.model.software import Item, Software, SoftwareChange
from leadline.model.summary import (
    Analysis,
    CheckResult,
    Finding,
    Gain,
    Impact,
    Jitter,
    LowerBound,
    MissingFigure,
    PairShare,
    PairShares,
    PassedDelay,
    PointSummary,
    PredictedMaximum,
    RankJitter,
    Regime,
    Sweep,
)
from leadline.model.tuning import Left, Tuning, Verdict
from leadline.model.tuning import Trial as TuningTrial
from leadline.model.verdict import Action, Beside, Headline, HeadlineValue, Standing, Trust, Usual
from leadline.model.verdict import Verdict as RunVerdict
from leadline.output.server.application import Application
from leadline.output.server.catalogue import Listed
from leadline.output.server.listing import Selection
from leadline.output.server.nights import Watched
from leadline.output.server.screened import NodeHistory, NodeNight
from leadline.output.server.trend import Change, Trend, TrendPoint
from leadline.site.vcluster.control import HostStatus, Status, Summary
from leadline.store.overview import Overview
from leadline.stuck.hang import Hang
from leadline.stuck.report import StuckJob, StuckRank
from leadline.topology.host_files.host_file import Answer, Entry, Explanation
from leadline.topology.rank_order.proposal import Proposal, Sent

PRINTED = {
    "A verdict": RunVerdict,
    "A standing": Standing,
    "A headline": Headline,
    "A usual range": Usual,
    "A headline value": HeadlineValue,
    "A comparison value": Beside,
    "An action": Action,
    "Trust": Trust,
    "A gain": Gain,
    "A known figure": KnownFigure,
    "A yardstick": Yardstick,
    "A tuning": Tuning,
    "A size that stays with the library": Left,
    "A virtual cluster beside others": Summary,
    "A region": Region,
    "Cores by kind": CoresByKind,
    "A host file": Explanation,
    "A reading of a host file": Answer,
    "A host of a host file": Entry,
    "A verdict on a choice": Verdict,
    "Launches without and with a choice": TuningTrial,
    "An outcome": Outcome,
    "A program of others": InterferingProgram,
    "A job of others": InterferingJob,
    "A link": Link,
    "A figure": PointSummary,
    "A missing figure": MissingFigure,
    "A lower bound": LowerBound,
    "A shape": Shape,
    "A mode": Mode,
    "A change of level": LevelChange,
    "A sweep": Sweep,
    "A regime": Regime,
    "A finding": Finding,
    "An impact": Impact,
    "Shares of pairs": PairShares,
    "A pair's share": PairShare,
    "Jitter": Jitter,
    "A rank's jitter": RankJitter,
    "A delay passed on": PassedDelay,
    "A predicted maximum": PredictedMaximum,
    "A published result": Held,
    "Noise": Noise,
    "A rank's noise": RankNoise,
    "A period": Period,
    "A cost of noise": NoiseCost,
    "A benchmark": Benchmark,
    "A term": Term,
    "A roof": Roof,
    "A trial": Trial,
    "A delivery": Delivery,
    "An axis": Axis,
    "Processes": Processes,
    "A series": Series,
    "A setting": Setting,
    "A check": CheckResult,
    "A check of a launch": LaunchCheck,
    "A fault of a launch": Fault,
    "A checked rank": CheckedRank,
    "A look at a job that hangs": StuckJob,
    "A hang": Hang,
    "A screening": Screen,
    "A suspect": Suspect,
    "A rank of a job": StuckRank,
    "A checked thread": CheckedThread,
    "A transport": Transport,
    "A program's time": Explained,
    "A rank's time": RankTime,
    "Calls of a program": SiteTime,
    "Who is late": Lateness,
    "An advice": Advice,
    "Efficiency": Efficiency,
    "What a rank sent": SentByRank,
    "Two programs' times": ExplainedDifference,
    "A call in two programs": CallDifference,
    "An overview": Overview,
    "A program's profile": ProgramProfile,
    "A profiled rank": ProfiledRank,
    "Profiled calls": ProfiledCalls,
    "A remark": Remark,
    "A table": Table,
    "A bound": Bound,
    "A job": Job,
    "A node": Node,
    "A kind of node": NodeKind,
    "A virtual cluster": Status,
    "A virtual host": HostStatus,
    "Software": Software,
    "An item of software": Item,
    "A change of software": SoftwareChange,
    "An order of ranks": Proposal,
    "What leaves nodes": Sent,
    "Predictions": Predictions,
    "A prediction": Prediction,
    "Predicted jitter": PredictedJitter,
    "The busiest link": BusiestLink,
    "The fastest algorithm": Fastest,
    "A prediction left out": LeftOut,
    "A machine as LogGP knows it": LogGPMachine,
    "A way of messages": Way,
    "A comparison": Comparison,
    "A figure compared": Compared,
    "A difference": Difference,
    "A failure": Failure,
    "A turn": Turn,
    "A page of the list": Selection,
    "A trend": Trend,
    "A point of a trend": TrendPoint,
    "What is watched": Watched,
    "Nights of a plan": Nights,
    "A figure in a night": NightFigure,
    "A node over nights": NodeHistory,
    "A night of a node": NodeNight,
    "A change": Change,
    "A map": Map,
    "A node of a map": MapNode,
    "A job on a map": MapJob,
    "A vertex": Vertex,
    "A link of a map": MapLink,
    "What links carry": Traffic,
}


@pytest.fixture(scope="module")
def text(documents, root):
    return documents[root / "docs" / "reference" / "json.md"]


def _section(text, title):
    return re.search(rf"^#+ {re.escape(title)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)[1]


def _fields(text, title):
    return re.findall(r"^\| `(\w+)` \|", _section(text, title), re.MULTILINE)


@pytest.mark.parametrize("title", PRINTED)
def test_every_field_of_a_struct_is_named(text, title):
    assert _fields(text, title) == list(PRINTED[title].__struct_encode_fields__)


def test_every_key_of_a_run_is_named(text):
    run = Run(run="r", leadline="1", plan=Plan(entries=()), started="", outcome=_OUTCOME)
    empty = Analysis(points=(), sweeps=())
    assert _fields(text, "A run") == list(answer(run, Path("r"), empty))


def test_every_key_of_an_answer_is_named(text):
    asked = Question(name="q", text="What?", answers=(), plan=Plan(entries=()))
    assert _fields(text, "An answer") == list(answered(asked, Analysis(points=(), sweeps=())))


def test_a_run_in_the_list_is_an_overview_and_more(text):
    own = _fields(text, "A run in the list")
    assert [*Overview.__struct_encode_fields__, *own] == list(Listed.__struct_encode_fields__)


def test_every_address_of_the_server_is_named(text, tmp_path):
    told = {
        address.rule.replace("<name>", "RUN").replace("<key>", "KEY").replace("<node>", "NODE")
        for address in Application(tmp_path, lambda *_: {}).addresses
        if address.rule[:4] == "/api"
    }
    named = re.findall(
        r"^\| `(/api[\w/]*)", _section(text, "What the server answers"), re.MULTILINE
    )
    assert set(named) == told


def test_an_installation_has_one_more_field_than_its_struct(text):
    fields = list(Installation.__struct_encode_fields__)
    assert _fields(text, "An installation") == [*fields, "default"]


def test_a_clock_has_one_more_field_than_its_struct(text):
    assert _fields(text, "A clock") == ["launch", *Clock.__struct_encode_fields__]


def test_company_has_one_more_field_than_its_struct(text):
    assert _fields(text, "Company") == ["launch", *Interference.__struct_encode_fields__]


def test_the_format_is_the_one_that_is_printed(text):
    assert f"`format` is the version of the object of a run, now {ANSWER_FORMAT}." in text


def test_every_state_and_severity_is_named(text):
    outcome, finding = _section(text, "An outcome"), _section(text, "A finding")
    state = next(f for f in msgspec.structs.fields(Outcome) if f.name == "state")
    assert all(f"`{each}`" in outcome for each in get_args(state.type))
    assert all(f"`{each}`" in finding for each in SEVERITIES)


_OUTCOME = Outcome(state="complete")
