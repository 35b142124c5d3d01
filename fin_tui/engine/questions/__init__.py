"""A question, understood: companies, periods, what is wanted and how it is computed."""
