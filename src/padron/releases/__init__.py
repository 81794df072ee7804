"""Releases on disk: snapshots, the log of their changes, and what they must not answer."""
