"""Words and charts of results.

`biaslab.probes.entries` lists which module is of which kind. `bokeh` and `svg` paint any chart.
"""
