"""Fusions: one score out of the scores of several legs."""
