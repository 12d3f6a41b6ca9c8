#!/usr/bin/env python
"""Django's command line for AgencyCore chat."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from agencycore.embedded.folders import EmbeddedError
from agencycore.embedded.services import ensure_services

# Commands that touch neither the database nor Redis.
WITHOUT_SERVICES = {"help", "version", "--help", "-h", "--version", "makemessages", "compilemessages", "spectacular"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")
    try:
        if len(sys.argv) > 1 and sys.argv[1] not in WITHOUT_SERVICES and not {"--help", "-h"} & set(sys.argv[2:]):
            ensure_services()
        execute_from_command_line(sys.argv)
    except (EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
