"""What all faces share: the words for errors, headers, language, limits in HTTP, log and metrics."""
