"""The terminal client: speaks only the wire, and everything but `shell` is free of I/O: lines in, screens out."""
