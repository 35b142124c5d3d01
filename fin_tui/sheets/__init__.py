"""The analyst's desk: sheets of figures and questions, workbooks with live formulas, audits of a model."""
