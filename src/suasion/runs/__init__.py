"""Runs: names nobody else can take, folders, manifests, lineage, resumption, metrics, plots and reports."""
