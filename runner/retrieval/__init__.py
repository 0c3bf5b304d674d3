"""Retrieval legs: from queries to scored chunks."""
