"""``python -m agencycore.embedded``: run the whole product from this checkout."""

import os
import signal
import sys

from django.core.exceptions import ImproperlyConfigured

from agencycore import environment as env
from agencycore.embedded.folders import EmbeddedError
from agencycore.embedded.processes import bind_to_parent
from agencycore.embedded.supervisor import Supervisor

HIGHEST_PORT = 65_535


def main(arguments: list[str]) -> int:
    if "--stop-with-parent" in arguments:
        bind_to_parent(signal.SIGTERM, os.getppid())
    try:
        port = env.integer("PORT", 8000, minimum=1)
        if port > HIGHEST_PORT:
            raise EmbeddedError(f"PORT must be at most {HIGHEST_PORT}, not {port}.")
        return Supervisor(port).run()
    except (EmbeddedError, ImproperlyConfigured) as error:
        print(f"AgencyCore did not start. {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
