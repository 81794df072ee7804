"""From official files to snapshots and releases: fetching, reading, building."""
