"""Losses: where the gold of a run was lost, read from what it recorded, and said in words."""
