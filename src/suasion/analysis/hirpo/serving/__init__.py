"""Servers that write an epoch's answers: started, fed each epoch's adapter, and checked to serve it. Never run on a GPU yet."""
