"""Reports of second opinions on recorded answers."""
