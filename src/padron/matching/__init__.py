"""From a text and a candidate to a confidence and its reasons."""
