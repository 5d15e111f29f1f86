"""The C core and its thin Python module; loaded by engines/native.py alone."""
