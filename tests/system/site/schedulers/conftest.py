"""The command line of the views."""

from view_command import view
