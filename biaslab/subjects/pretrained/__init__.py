"""What all models of transformers share: files, options, devices, memory, refusals."""
