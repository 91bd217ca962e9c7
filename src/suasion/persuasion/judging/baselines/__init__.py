"""Judges that understand nothing, to be beaten: length, order, shallow features, bags of words, sentence embeddings."""
