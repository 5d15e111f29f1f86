"""Turns results and facts into JSON, Markdown and text. Pure functions: nothing here reads, writes or prints."""

from graycard.report.renderers import RENDERERS

__all__ = ["RENDERERS"]
