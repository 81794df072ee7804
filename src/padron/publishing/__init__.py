"""The only way to a release that is served: published here, or pulled from a store."""
