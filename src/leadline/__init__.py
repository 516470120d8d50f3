"""leadline measures, explains and tunes the communication of a parallel machine."""

__version__ = "0.2.0"
