"""An answer, composed from figures, structure, evidence and a model, as a stream of events."""
