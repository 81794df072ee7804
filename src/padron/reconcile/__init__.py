"""The Reconciliation Service API, versions 0.2 and 1.0 draft: OpenRefine and others match a column to companies."""
