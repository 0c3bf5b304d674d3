"""Knowledge graph: entities named in the documents, and how they are related."""
