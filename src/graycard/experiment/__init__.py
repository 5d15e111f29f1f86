"""An experiment on one page."""
