"""Records: frozen values, results, their provenance and the calls that made them."""
