"""Tokenizers: what a token is, for sizes and for counting context."""
