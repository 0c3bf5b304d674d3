"""Chunking strategies: from a text to spans of it."""
