"""Say what to do when this Python cannot make the project's virtual environment.

Written for old Pythons too, so that they can print the message.
"""

import sys


def main():
    # type: () -> int
    """Return 0 when this Python will do."""
    if sys.version_info < (3, 11):
        sys.stderr.write(
            "biaslab needs Python 3.11 or newer; this is %d.%d (%s).\n"
            "Name a newer one, for example: make run PYTHON=python3.12\n"
            % (sys.version_info[0], sys.version_info[1], sys.executable)
        )
        return 1
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.stderr.write(
            "This Python has no venv. On Debian and Ubuntu: apt-get install python3-venv\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
