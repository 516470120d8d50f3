"""The example run and its page."""

from example_page import analysis, kept, page, run
