"""Families of measures."""
