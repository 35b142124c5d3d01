"""The app in a browser, for one person: a web server on loopback (the extra ``serve``)."""
