"""What is to be played: kinds of streams, and how."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from graycard.model import Cache, Operation, Target
from graycard.play.cadence import SECOND_NS, frames_in, queue_frames

# Direct I/O moves whole pages: a frame takes so many bytes more on the volume, as frametest rounds its frames, too.
ALIGN_BYTES = 4096
MIB = 1 << 20
# A player reads ahead for a second or more: Premiere keeps up to 300 frames ready (Dell InfoHub on its frame buffers).
AHEAD_NS = SECOND_NS
CLIP_NS = 10 * SECOND_NS
PLAY_NS = 60 * SECOND_NS
SHORT_NS = 6 * SECOND_NS
WRITE_LIMIT_BYTES = 64 * 10**9
# What a sound editor lays under a picture: 48 kHz, 24 bits, 8 channels; read in pieces of half a second.
AUDIO_KEY = "audio-48k/24bit/8ch"
AUDIO_RATE = Fraction(2)
AUDIO_BYTES = 48_000 * 3 * 8 // 2


@dataclass(frozen=True, slots=True)
class Kind:
    """Streams of one format in one direction. `count` None is left to `--streams`."""

    key: str
    rate: Fraction
    frame_bytes: int
    operation: Operation = Operation.READ
    count: int | None = None
    file_per_frame: bool = False

    @property
    def stride_bytes(self) -> int:
        """Bytes that a frame takes on the volume, and that its transfer moves."""
        return -(-self.frame_bytes // ALIGN_BYTES) * ALIGN_BYTES

    @property
    def needed_bytes_per_s(self) -> float:
        """What one stream moves a second."""
        return float(self.stride_bytes * self.rate)

    @property
    def records(self) -> bool:
        """Whether it is recorded and not played."""
        return self.operation is Operation.WRITE


def audio() -> Kind:
    """The sound of one stream."""
    return Kind(AUDIO_KEY, AUDIO_RATE, AUDIO_BYTES)


@dataclass(frozen=True, slots=True)
class Playing:
    """What is to be done. `auto` looks for the largest number of streams of each kind without a count.

    `play_ns` is the length of a run, and of the run that confirms a number found; `short_ns` that of a run of the
    search. `prebuffer_ns` is the time from the first read to the first frame shown. Clips are `clip_ns` long and go
    round. With `shared` all played streams of a kind read one file, from random positions on.
    """

    target: Target
    kinds: tuple[Kind, ...]
    auto: bool = False
    play_ns: int = PLAY_NS
    short_ns: int = SHORT_NS
    ahead_ns: int = AHEAD_NS
    prebuffer_ns: int = AHEAD_NS
    clip_ns: int = CLIP_NS
    spread: bool = False
    shared: bool = False
    continuous: bool = False
    with_audio: bool = False
    write_limit_bytes: int = WRITE_LIMIT_BYTES
    seed: int = 0
    cache: Cache = Cache.BYPASS

    def clip_frames(self, kind: Kind) -> int:
        """Frames in one clip of that kind."""
        return frames_in(kind.rate, self.clip_ns)

    def clip_bytes(self, kind: Kind) -> int:
        """Bytes of one clip of that kind."""
        return self.clip_frames(kind) * kind.stride_bytes

    def queue_count(self, kind: Kind) -> int:
        """Frames that are read ahead, or that a camera's buffer holds."""
        return queue_frames(kind.rate, self.ahead_ns)

    def counted(self, count: int) -> tuple[Kind, ...]:
        """One kind for each stream, with `count` of each kind that has no count of its own; then the sound."""
        kinds = [kind for kind in self.kinds for _ in range(kind.count or count)]
        sound = sum(not kind.records for kind in kinds) if self.with_audio else 0
        return (*kinds, *[audio()] * sound)
