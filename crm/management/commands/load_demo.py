from django.core.management.base import BaseCommand

from crm.demo.load import load_world
from crm.demo.meridian import WORLD as MERIDIAN
from crm.demo.northwind import WORLD as NORTHWIND


class Command(BaseCommand):
    help = "Make the demo organizations northwind and meridian, unless they are there already."

    def handle(self, *args: object, **options: object) -> None:
        for world in (NORTHWIND, MERIDIAN):
            loaded = load_world(world=world)
            self.stdout.write(f"{world.slug}: {'loaded' if loaded else 'is there already'}")
