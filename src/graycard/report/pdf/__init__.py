"""A report on paper: A4 pages by typst, from the same story and charts as the web page."""

from graycard.report.pdf.renderer import PdfRenderer

__all__ = ["PdfRenderer"]
