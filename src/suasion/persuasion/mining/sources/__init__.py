"""The forms that debates come in, each read as a stream: Reddit dumps, ConvoKit's corpus, Tan et al.'s data, ready tables of pairs."""
