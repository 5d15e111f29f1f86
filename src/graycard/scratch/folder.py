"""The run's own folder: made below the target, removed at the end whatever happens."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from types import TracebackType

from graycard.errors import Interrupted, RunProblem
from graycard.scratch.names import MARKER, folder_name, new_id, test_file, tree_folder
from graycard.scratch.owner import encode, this_owner
from graycard.scratch.place import OpenFolder, made_despite_cleaners
from graycard.scratch.running import announce, withdraw
from graycard.scratch.trees import remove_tree
from graycard.scratch.trouble import cannot_clean, cannot_prepare, shown


class Scratch(AbstractContextManager["Scratch"]):
    """`with Scratch(folder) as scratch`: a new folder `.graycard-<id>` below the absolute path `folder`.

    Entering raises TargetProblem where nothing may be written, RunProblem for an I/O error. Leaving removes the test
    files named by `file_path`, the marker and the folder, and nothing else. What cannot be removed is told: by
    RunProblem (phase "cleanup"), or as a note on the error that is already under way (`error.__notes__`).
    """

    def __init__(self, folder: str, registry: str | None = None) -> None:
        self.id = new_id()
        self.path = os.path.join(folder, folder_name(self.id))
        self._target = folder
        self._registry = registry
        self._files: dict[str, None] = {}
        self._trees: dict[str, None] = {}
        self._parent: OpenFolder | None = None
        self._inner: OpenFolder | None = None
        self._entry: str | None = None
        self._removed = False
        self.marker = ""

    def file_path(self, word: str) -> str:
        """The path of the test file of that plain word; whoever creates it there need not remove it."""
        name = test_file(word)
        self._files[name] = None
        return os.path.join(self.path, name)

    def make_tree(self, word: str) -> str:
        """A new folder of that plain word, whose whole content is the run's and goes with it; OSError."""
        if self._inner is None:
            raise ValueError("the folder is not there yet")
        name = tree_folder(word)
        self._trees[name] = None
        self._inner.make_folder(name)
        return os.path.join(self.path, name)

    def disown(self, path: str) -> None:
        """Leave the file of that path alone: somebody else made it."""
        self._files.pop(os.path.basename(path), None)

    def release(self) -> None:
        """Leaving removes nothing: somebody else does."""
        self._removed = True

    def __enter__(self) -> Scratch:
        made = False
        try:
            self._make()
            made = True
        except OSError as error:
            problem = cannot_prepare(error, self._target)
            # Twice: the first time closes descriptors, which may be what was short.
            left = self._clear() and self._clear()
            if left:
                problem.add_note(str(left))
            raise problem from error
        finally:
            if not made:
                self._clear()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            problem = self._clear()
        except (KeyboardInterrupt, Interrupted):
            self._clear()  # a stop in the middle of the removal: remove first, then stop
            raise
        if problem is None:
            return
        if error is None:
            raise problem
        error.add_note(str(problem))

    def _make(self) -> None:
        parent = self._parent = OpenFolder.open(self._target)
        made_despite_cleaners(lambda: self._make_marked(parent))
        self._entry = announce(self.path, self.id, self._registry)

    def _make_marked(self, parent: OpenFolder) -> None:
        if self._inner is not None:
            self._inner.close()
        parent.make_folder(folder_name(self.id))
        self._inner = parent.child(folder_name(self.id))
        folder_user = parent.info(folder_name(self.id)).st_uid if hasattr(os, "geteuid") else None
        marker = encode(this_owner(self.id, folder_user))
        self._inner.create(MARKER, marker)
        self.marker = marker.decode()

    def _clear(self) -> RunProblem | None:
        """Remove all that was made; may be called again after an interruption. The problem is what remains."""
        try:
            reason = self._remove()
            problem = cannot_clean(self.path, reason, None) if reason else None
        except OSError as error:
            problem = cannot_clean(self.path, error.strerror or str(error), error.errno)
        for folder in (self._inner, self._parent):
            if folder is not None:
                folder.close()
        withdraw(self._entry)
        return problem

    def _remove(self) -> str | None:
        """The reason why the folder stays, if something of another's lies in it."""
        if self._parent is None or self._removed:
            return None
        if self._inner is not None:
            for name in self._files:
                self._inner.remove_file(name)
            for name in self._trees:
                remove_tree(self._inner, name)
            others = [name for name in self._inner.names() if name != MARKER]
            if others:
                return f"it holds files that graycard did not make: {shown(others[0])}"
            self._inner.remove_file(MARKER)
        self._parent.remove_folder(folder_name(self.id))
        self._removed = True
        return None
