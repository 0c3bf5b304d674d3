"""The statistical gate: is a candidate worse than a baseline, by more than chance and than matters?."""
