"""Official files in, snapshots out."""
