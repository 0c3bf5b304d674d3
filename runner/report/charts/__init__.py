"""The charts of a report: plain values in, inline SVG out, themed by classes, always the same bytes."""
