"""HTTP as all interfaces share it: requests, errors, authentication, rate limits, negotiation, log and metrics."""
