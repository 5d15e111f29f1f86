"""Video formats: frame bytes and rates with their sources; what a figure is enough for."""

from graycard.media.filtering import matching
from graycard.media.format import Confidence, Format, Kind
from graycard.media.naming import format_named
from graycard.media.rates import parse_rate, rate_text
from graycard.media.table import formats

__all__ = ["Confidence", "Format", "Kind", "format_named", "formats", "matching", "parse_rate", "rate_text"]
