"""Video formats: frame bytes and rates with their sources; what a figure is enough for."""
