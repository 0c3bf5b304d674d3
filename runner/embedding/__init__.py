"""Embedding models: from texts to unit vectors."""
