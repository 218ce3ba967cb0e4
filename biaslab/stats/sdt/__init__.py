"""Signal detection theory: sensitivity, criterion and ROC from yes or no, grades and scores."""
