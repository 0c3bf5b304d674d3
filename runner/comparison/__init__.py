"""Comparison: what the questions at hand can say about runs, recorded once and read by every view."""
