"""Accounts, API keys, plans, payments and rate limits; the only package with a database."""
