"""The look and the script of the report: style sheets, scripts, and how they and the data reach a page."""
