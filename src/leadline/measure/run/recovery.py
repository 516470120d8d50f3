"""A run whose leadline was killed, brought to its end."""

from leadline.core.errors import UserError
from leadline.measure.run.batch import BatchRunner
from leadline.measure.run.run import run_launches
from leadline.measure.run.runner import now
from leadline.model.progress import Silent
from leadline.model.run import BatchJob, Run
from leadline.site.schedulers.batch_system import batch_system
from leadline.store.folder import RunFolder
from leadline.store.launches import noted_launch


def recover(folder: RunFolder) -> Run:
    """Finish the run with what its launches left, and return it.

    What a batch job measured while nobody followed it counts as if somebody had. Raises
    `UserError` where the run is still being measured.
    """
    run = folder.stored()
    if folder.writer or run.batch is None or run.outcome.state != "running":
        return folder.recover()
    _check_ended(run, run.batch)
    known = {launch.launch for launch in run.launches}
    places = sorted((folder.path / "launches").iterdir())
    noted = [launch for launch in map(noted_launch, places) if launch]
    left = [launch for launch in noted if launch.launch not in known]
    runner = BatchRunner(run.batch, Silent(), len(left))
    run.outcome = run_launches(left, runner, folder, Silent(), run)
    run.machine = {"host": runner.nodes} if runner.nodes else {}
    run.ended = max((launch.ended for launch in run.launches), default=now())
    folder.finish(run)
    return run


def _check_ended(run: Run, batch: BatchJob) -> None:
    system = batch_system(batch.system)
    state = system.state(batch.job)
    if state is None:
        raise UserError(
            f"{system.name} does not say what became of job {batch.job}: try again later, or where "
            "its commands are"
        )
    if state.phase != "ended":
        raise UserError(
            f"job {batch.job} of run {run.run} is {state.phase}: wait for its end, or end it with "
            f"`{system.cancel_command} {batch.job}`"
        )
