"""The rules: every function with `@rule` in these modules, one idea a module."""
