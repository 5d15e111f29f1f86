"""Copies by smbclient with both ends sampled, on the near computer of the bed: what is then known of the share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from graycard.diagnosis.near import Scope
from graycard.diagnosis.places import far_facts, way
from graycard.diagnosis.serving import used_facts
from graycard.diagnosis.watched import Watch
from graycard.facts import fact
from graycard.link import FarEnd, by_ssh
from graycard.model import FactValue
from tests.bed.network import FAR_ADDRESS
from tests.bed.smb import SMB_SHARE

PATIENCE_S = 30


def main(config: str, login: str, data: str, *protections: str) -> None:
    """A copy for each protection that the client asks for."""
    with by_ssh("nas", ("ssh", "-F", config)) as far:
        _found, peer = way(far)
        used = [told_of(far, peer, login, data, protection) for protection in protections]
        print(json.dumps({"used": used, "far": {each.name: each.value for each in far_facts(far)}}))


def told_of(far: FarEnd, peer: str, login: str, data: str, protection: str) -> dict[str, FactValue]:
    """The session stays open until Samba has told of it; then the copy counts as done."""
    watch = Watch(Scope(os.getpid(), frozenset({FAR_ADDRESS})), far, peer, "wire")
    command = ("smbclient", f"--client-protection={protection}", "-A", login, f"//{FAR_ADDRESS}/{SMB_SHARE}")
    with watch.sampling():
        client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        if client.stdin is None:
            raise SystemExit("no pipe")
        client.stdin.write(f"put {data} copied\n".encode())
        client.stdin.flush()
        until = time.monotonic() + PATIENCE_S
        while not (far.ask("sessions")["smbstatus"] and any(each.get("tcp") for each in watch.samples())):
            if time.monotonic() > until or client.poll() is not None:
                raise SystemExit("no session was told of")
            time.sleep(0.05)
    facts = used_facts(far, peer, watch.samples(), (fact("share_protocol", "smb", "the test"),), "")
    client.stdin.close()
    client.wait(PATIENCE_S)
    return {each.name: each.value for each in facts}


if __name__ == "__main__":
    main(*sys.argv[1:])
