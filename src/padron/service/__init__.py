"""The HTTP service: assembled, with its accounts and background tasks."""
