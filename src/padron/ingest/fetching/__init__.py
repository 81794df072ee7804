"""Fetching official files: polite requests, resumable downloads, the folder of a source, the ways files are found."""
