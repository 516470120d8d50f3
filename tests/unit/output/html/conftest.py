"""The example run and its page."""

<<<<<<< HEAD
from example_page import analysis, page, run
=======
import pytest
from example_run import MadeUpSamples, example_analysis, example_run

from leadline.output.html.charts import keep_samples
from leadline.output.html.html import render


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A LEADLINE_HOME for the session, so that the script is built once."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def run():
    return example_run()


@pytest.fixture(scope="session")
def analysis(run):
    return example_analysis(run)


@pytest.fixture(scope="session")
def kept(run):
    """What plots keep of the samples of the run."""
    return keep_samples(run, MadeUpSamples(run))


@pytest.fixture(scope="session")
def page(home, run, analysis, kept):
    return render(run, analysis, kept)
>>>>>>> plots
