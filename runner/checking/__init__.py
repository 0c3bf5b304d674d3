"""Checking: what is wrong with a data set, or may be, each finding with its place and its cure."""
