"""Everything that may happen to a library while it is used: kills, full disks, damage, other versions, other processes."""
