"""Writing on until a drive shows what it does when its cache is full."""
