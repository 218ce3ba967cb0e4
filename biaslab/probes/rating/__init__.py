"""Rating of services that can only be called (paper 004), in the modules of its Fig. 3."""
