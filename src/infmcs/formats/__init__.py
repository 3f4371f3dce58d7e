"""Graphs from files and back."""
