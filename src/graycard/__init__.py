"""graycard measures what a drive or a network share really delivers, and how far the figure can be trusted."""

__version__ = "0.1.0"
