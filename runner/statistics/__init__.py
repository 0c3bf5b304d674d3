"""Statistics: what the queries at hand can and cannot decide, as pure functions over arrays."""
