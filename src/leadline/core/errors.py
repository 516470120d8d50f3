"""The one error that people see."""


class UserError(Exception):
    """A mistake that the user can mend.

    Its text is one line that names the value, says what is allowed and what to do. The
    command line prints it on standard error and exits with status 2.
    """
