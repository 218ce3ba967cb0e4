"""What each bench is recorded doing: see `harness.recording`."""
