"""The far end of a network test: standard library alone, any Python from 3.8, so that it can be sent to a NAS as it is.

    wire       what both ends say to each other
    counting   bytes moved, in slots of time; what the kernel tells of a connection
    traffic    sending, receiving, answering
    gate       the data port: one token, one test, one use
    ground     disk tests in a folder of its own
    processes  the time of those that have a part in a copy
    interfaces what an interface is: wired, wi-fi, vpn
    adapters   what its adapter is attached by
    sockets    the state of connections
    sampling   what the computer does meanwhile
    sessions   what Samba tells of its sessions while a copy runs
    session    what the far end does when it is asked
    program    on the pipes of ssh, or by hand
    bundle     these files as one text to send

Two are never sent: they look at this end alone.

    files      what a process copies from and to
    partners   which process is at the other end of another one's local sockets

The near end (`link/`) uses the same `wire`, `counting` and `traffic`. This room knows the operating system where the
far end must, because nothing else of graycard is there.
"""
