"""What is said and drawn of results: their words and their charts.

`biaslab.probes.entries` lists which module is of which kind. `bokeh` and `svg` paint any chart.
"""
