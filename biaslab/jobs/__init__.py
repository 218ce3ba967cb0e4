"""Jobs: long work with progress, cancel and abort."""
