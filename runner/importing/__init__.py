"""Importing: other people's forms of data, made a native folder; a kind is a file, `kinds.py` names them."""
