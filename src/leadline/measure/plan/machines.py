"""The machine that a plan is simulated on, where it names one."""

from collections.abc import Iterable

import msgspec

from leadline.core.errors import UserError
from leadline.model.job import Simulation
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.platform import Platform
from leadline.topology.platforms.catalogue import read_platform
from leadline.topology.platforms.change import change_platform
from leadline.topology.platforms.simulation import VARIABLE, messages, simulation


class Machine(msgspec.Struct, frozen=True):
    """A platform, and what a simulator has to know of it for each placement."""

    platform: Platform
    simulations: dict[Placement, Simulation]

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a simulated probe reads."""
        return {VARIABLE: messages(self.platform)}


def platform_of(plan: Plan) -> Platform | None:
    """Return the platform of the plan with the changes that it asks for, None for a real machine.

    Raises `UserError` for an unknown one, and for what only a real machine has.
    """
    if not plan.platform:
        if plan.changes:
            raise UserError("changes are those of a platform: name one, with platform or --on")
        return None
    for name, given in (
        ("hosts", plan.hosts),
        ("launcher", plan.launcher),
        ("remote_shell", plan.remote_shell),
        ("batch", plan.batch),
    ):
        if given:
            raise UserError(
                f"the plan is simulated on {plan.platform}, which has no {name}: leave it out"
            )
    platform = read_platform(plan.platform)
    for change in plan.changes:
        platform = change_platform(platform, change)
    return platform


def machine_of(plan: Plan, placements: Iterable[Placement]) -> Machine | None:
    """Return the machine on which the plan is simulated; None for a real one.

    Raises `UserError` where it has no room for one of the `placements`.
    """
    platform = platform_of(plan)
    if platform is None:
        return None
    return Machine(platform, {each: simulation(platform, each) for each in placements})
