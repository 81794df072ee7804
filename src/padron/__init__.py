"""Padrón: company search of the Americas, from the official registers."""

__version__ = "0.1.0"
