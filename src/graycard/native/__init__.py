"""The C core and its thin Python module `_core`; loaded by engines/native.py alone."""
