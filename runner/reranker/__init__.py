"""Rerankers: a second look at the first candidates of each query."""
