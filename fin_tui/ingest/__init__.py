"""Files in: read, cut into passages, stored in one transaction each, indexed, embedded."""
