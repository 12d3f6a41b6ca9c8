from django.core.management.base import BaseCommand

from crm.demo.load import DEMO_PASSWORD, load_world
from crm.demo.meridian import WORLD as MERIDIAN
from crm.demo.northwind import WORLD as NORTHWIND


class Command(BaseCommand):
    help = "Make the demo organizations northwind and meridian, unless they are there already."

    def handle(self, *args: object, **options: object) -> None:
        for world in (NORTHWIND, MERIDIAN):
            loaded = load_world(world=world)
            self.stdout.write(f"{world.slug}: {'loaded' if loaded else 'is there already'}")
        for world in (NORTHWIND, MERIDIAN):
            names = [
                f"{colleague.username} (staff)" if colleague.is_staff else colleague.username
                for colleague in world.colleagues
                if colleague.can_log_in
            ]
            # `make run` repeats the lines that begin so, once the address answers.
            self.stdout.write(f"Log in as {' or '.join(names)} of {world.name}, password {DEMO_PASSWORD}")
