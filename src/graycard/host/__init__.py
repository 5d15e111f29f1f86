"""The operating system, as far as graycard needs it; nobody else calls it."""
