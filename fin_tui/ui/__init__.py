"""The app, the only part that imports Textual. ``app.py`` puts it together from screens, widgets and controllers; what it asks of
the rest of the program stands in ``services.py``, what its parts tell each other in ``messages.py``.
"""
