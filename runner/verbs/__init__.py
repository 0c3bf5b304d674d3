"""The verbs: one file each, whose function of the same name answers the words after it. None prints."""
