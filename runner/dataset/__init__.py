"""Data sets: documents, queries and judgments, read and checked."""
