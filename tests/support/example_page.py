"""A page of the example run, once a session."""

import pytest
from example_run import MadeUpSamples, example_analysis, example_run

from leadline.output.html.charts import keep_samples
from leadline.output.html.html import render


@pytest.fixture(scope="session")
def run():
    return example_run()


@pytest.fixture(scope="session")
def analysis():
    return example_analysis()


@pytest.fixture(scope="session")
def kept(run):
    """What plots keep of the samples of the run."""
    return keep_samples(run, MadeUpSamples(run))


@pytest.fixture(scope="session")
def page(run, analysis, kept):
    return render(run, analysis, kept)
