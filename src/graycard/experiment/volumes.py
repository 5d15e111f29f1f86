"""Where each configuration is measured: a folder as it is, or a volume that is mounted for the time of one slot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType

from graycard.errors import TargetProblem
from graycard.measurement import Event, OnEvent
from graycard.model.experiment import Configuration, ExperimentPlan
from graycard.protocols import Clock, Host, Progress, VolumeMaker
from graycard.scratch import leftovers
from graycard.scratch.image_folder import ImageFolder


class Volumes(AbstractContextManager["Volumes"]):
    """The folders of an experiment's images, each entered when it is first needed. Leaving unmounts everything.

    Images stay for the next sitting until `finish`.
    """

    def __init__(
        self,
        experiment_id: str,
        plan: ExperimentPlan,
        host: Host,
        maker: VolumeMaker,
        clock: Clock,
        teller: Callable[[Configuration], OnEvent],
    ) -> None:
        self._experiment_id = experiment_id
        self._plan = plan
        self._host = host
        self._maker = maker
        self._clock = clock
        self._teller = teller
        self._stack = ExitStack()
        self._entered: dict[str, ImageFolder] = {}

    @contextmanager
    def place(self, configuration: Configuration) -> Iterator[str]:
        """The folder to measure; a volume is made the first time, mounted each time, and unmounted after it."""
        if configuration.image is None or configuration.volume is None:
            yield configuration.folder
            return
        tell, began_ns = self._teller(configuration), self._clock.monotonic_ns()

        def on_written(written_bytes: int) -> None:
            now_ns = self._clock.monotonic_ns()
            tell(
                Event("format", "making the volume", now_ns, progress=Progress(now_ns - began_ns, 0, written_bytes, 0))
            )

        tell(Event("format", "mounting the volume", began_ns))
        folder = self._folder(self._host.resolve(configuration.folder).path)
        with folder.mounted(configuration.volume, configuration.image, on_written) as mount_point:
            yield mount_point

    def finish(self) -> None:
        """No image is needed any more: leaving removes them all, those of an earlier sitting among them."""
        for folder in image_folders(self._plan, self._host):
            if folder in self._entered or left_images_bytes(folder, self._experiment_id) is not None:
                self._folder(folder).finish()

    def _folder(self, path: str) -> ImageFolder:
        if path not in self._entered:
            self._entered[path] = self._stack.enter_context(ImageFolder(path, self._maker, self._experiment_id))
        return self._entered[path]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)


def image_folders(plan: ExperimentPlan, host: Host) -> tuple[str, ...]:
    """The real paths of the folders in which the plan's images lie, as far as they are there."""
    found: dict[str, None] = {}
    for configuration in plan.configurations:
        if configuration.image is not None:
            try:
                found[host.resolve(configuration.folder).path] = None
            except TargetProblem:
                continue  # a drive that is not connected holds up nothing
    return tuple(found)


def left_images_bytes(folder: str, experiment_id: str) -> int | None:
    """Bytes of the images that an earlier sitting has left in a folder; None where it has left none."""
    found = [each.size_bytes for each in leftovers(folder) if each.experiment_id == experiment_id]
    return sum(found) if found else None


def remove_images(experiment_id: str, plan: ExperimentPlan, host: Host, maker: VolumeMaker) -> None:
    """Unmount and remove what an unfinished experiment has left; TargetProblem while a process works on it."""
    for folder in image_folders(plan, host):
        if left_images_bytes(folder, experiment_id) is not None:
            with ImageFolder(folder, maker, experiment_id) as images:
                images.finish()
