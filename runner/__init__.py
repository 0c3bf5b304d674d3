"""runner: a declarative batch runner for retrieval experiments. Importing it loads nothing heavy."""

__version__ = "0.1.0"
