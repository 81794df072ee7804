"""Agentic search: read a question, plan look-ups, answer in a sentence that can be quoted."""
