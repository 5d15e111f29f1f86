"""Programs that answer from a table, for makers of volumes that cannot run here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graycard.host.programs import Outcome

OK = Outcome(0, b"", "")
Answer = Outcome | Callable[[Sequence[str]], Outcome]


class FakePrograms:
    """Each command is answered by the longest beginning in the table that it has; those missing cannot be found."""

    def __init__(self, table: dict[str, Answer], missing: tuple[str, ...] = ()) -> None:
        self.table = table
        self.missing = missing
        self.asked: list[tuple[str, ...]] = []

    def find(self, name: str) -> str | None:
        return None if name in self.missing else f"/sbin/{name}"

    def run(self, arguments: Sequence[str], *, handles: Sequence[int] = ()) -> Outcome:
        self.asked.append(tuple(arguments))
        command = " ".join(arguments)
        known = [key for key in self.table if command.startswith(key)]
        if not known:
            return Outcome(1, b"", f"{arguments[0]}: not in the table")
        answer = self.table[max(known, key=len)]
        return answer if isinstance(answer, Outcome) else answer(arguments)
