"""The data card: what was measured of the pairs, with a picture for each claim and a dataset card beside the files."""
