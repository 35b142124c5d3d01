"""The command line (grows below)."""


def main() -> None:
    raise SystemExit(0)
