"""The inspector: what the index saw, what a query did, from records alone; it never runs retrieval."""
