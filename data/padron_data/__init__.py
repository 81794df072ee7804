"""Official files of registers with their provenance: `official/<country>/<source>/`; `padron build` reads it."""
