"""One plot a file: tables to a Vega-Lite specification."""
