"""Video formats: frame bytes and rates with their sources; what a figure is enough for."""

from graycard.media.choosing import Chosen, Refused, by_measurement, choose
from graycard.media.enough import HEADROOM_RATIO, MOST_STREAMS_COUNT, Enough, Fit, fit
from graycard.media.filtering import matching
from graycard.media.format import Confidence, Format, Kind
from graycard.media.known import KNOWN, known_formats
from graycard.media.naming import format_named
from graycard.media.rates import parse_rate, rate_text
from graycard.media.refusing import nothing_decides, nothing_tells
from graycard.media.sustained import Basis, basis_of
from graycard.media.table import formats

__all__ = [
    "HEADROOM_RATIO",
    "KNOWN",
    "MOST_STREAMS_COUNT",
    "Basis",
    "Chosen",
    "Confidence",
    "Enough",
    "Fit",
    "Format",
    "Kind",
    "Refused",
    "basis_of",
    "by_measurement",
    "choose",
    "fit",
    "format_named",
    "formats",
    "known_formats",
    "matching",
    "nothing_decides",
    "nothing_tells",
    "parse_rate",
    "rate_text",
]
