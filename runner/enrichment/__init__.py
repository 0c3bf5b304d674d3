"""Enrichment: a header in the embedding input of a chunk, and nowhere else."""
