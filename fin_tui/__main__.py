"""``python -m fin_tui``."""

from fin_tui.cli.entry import main

if __name__ == "__main__":
    main()
