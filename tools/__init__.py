"""Programs that regenerate parts of the project."""
