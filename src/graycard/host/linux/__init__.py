"""Linux: /proc, /sys and a few system calls. `machine.py` holds the host, `probes.py` the tuple of probes."""
