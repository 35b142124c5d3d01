"""What the app and its screens do, a plain class for each job: each is given the app or the screen that it works for.

Textual finds handlers and actions by their names on the class of an app or a screen; those hand over to a controller in a line.
What takes time runs in workers, which only post messages; ``hear`` takes a message, on the thread that may touch widgets.
The app is put together in ``ui/app.py``, the main screen in ``ui/screens/main.py``.
"""
