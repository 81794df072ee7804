"""Lists in files: any format in, the same rows with their companies out."""
