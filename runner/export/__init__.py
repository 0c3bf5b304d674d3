"""The export: what a run stands on, in files that a vector store or trec_eval takes as they are."""
