"""A small and a large CRM side by side: ``python -m bench.crm`` in an empty database of its own.

The large one has 10,000 companies and 100,000 activities. Pages and readers must need the same
statements in both; the time is given as a ratio, because milliseconds are those of the machine.
The last line is an import of 10,000 rows, which must end within a minute.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TypeVar

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")
os.environ["TEST_DATABASE_NAME"] = "bench_crm"
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.db.models import Model  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext, setup_databases, teardown_databases  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from agencycore.refs import Reader  # noqa: E402
from agencycore.tenancy import tenant  # noqa: E402
from crm import readers  # noqa: E402
from crm.importing import import_records  # noqa: E402
from crm.models import Activity, Company, Deal, FieldChange, Opportunity, Person, Prospect, Signal  # noqa: E402
from crm.models.records import Record  # noqa: E402
from organizations.models import Membership, Organization, User  # noqa: E402

SMALL, LARGE = 100, 10_000
ACTIVITIES_PER_COMPANY = 10
RUNS = 15
IMPORT_ROWS = 10_000
IMPORT_SECONDS = 60
SCOPE = 20
BATCH = 2_000

READERS: list[tuple[Reader, type[Record]]] = [
    (readers.CompanyReader(), Company),
    (readers.PersonReader(), Person),
    (readers.ProspectReader(), Prospect),
    (readers.DealReader(), Deal),
    (readers.OpportunityReader(), Opportunity),
    (readers.ActivityReader(), Activity),
]

Work = Callable[[], object]
RowT = TypeVar("RowT", bound=Model)


def main() -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    databases = setup_databases(verbosity=0, interactive=False, serialized_aliases=[])
    try:
        small, large = fill("small", SMALL), fill("large", LARGE)
        same = compare(small, large)
        in_time = measure_import(small)
    finally:
        connections.close_all()
        teardown_databases(databases, verbosity=0)
    sys.exit(0 if same and in_time else 1)


def fill(name: str, size: int) -> Membership:
    organization = Organization.objects.create(slug=name, name=name.title())
    user = User.objects.create(username=name)
    own = {"organization": organization}
    companies = [
        Company(**own, name=f"Company {n:05}", domain=f"c{n}.example", industry=f"Industry {n % 40}", owner=user)
        for n in range(size)
    ]
    people = [Person(**own, company=each, name=f"Person at {each}", owner=user) for each in companies]
    deals = [Deal(**own, company=each, name="Deal", owner=user) for each in companies]
    save(organization, companies)
    save(organization, people)
    save(organization, deals)
    save(organization, activities(organization, user, people, deals))
    save(organization, [Opportunity(**own, company=each, name="Opportunity") for each in companies])
    save(organization, [Prospect(**own, company_name=each.name, domain=each.domain) for each in companies])
    save(organization, [Signal(**own, company=each, kind="hiring", text="Hires") for each in companies])
    save(
        organization, [FieldChange(**own, object_kind="company", object_id=each.pk, field="name") for each in companies]
    )
    return Membership.objects.create(organization=organization, user=user)


def activities(organization: Organization, user: User, people: list[Person], deals: list[Deal]) -> list[Activity]:
    now = timezone.now()
    return [
        Activity(
            organization=organization,
            company=deal.company,
            person=person,
            deal=deal,
            by=user,
            kind="call",
            subject="Call",
            happened_at=now - timedelta(hours=hours),
        )
        for hours in range(ACTIVITIES_PER_COMPANY)
        for person, deal in zip(people, deals, strict=True)
    ]


def save(organization: Organization, rows: Sequence[RowT]) -> None:
    """Write the rows, and let the planner know: a plan made for an empty table would be kept."""
    model = type(rows[0])
    with tenant(organization.id):
        model._default_manager.bulk_create(rows, batch_size=BATCH)
    with connections["owner"].cursor() as cursor:
        cursor.execute(f'ANALYZE "{model._meta.db_table}"')


def compare(small: Membership, large: Membership) -> bool:
    print(f"{'':32}{'statements':>12}{'':>12}{'small ms':>10}{'large ms':>10}{'ratio':>8}")
    same = True
    for (name, in_small), (_, in_large) in zip(works(small), works(large), strict=True):
        counts = [count_statements(work) for work in (in_small, in_large)]
        times = [median_milliseconds(work) for work in (in_small, in_large)]
        same = same and counts[0] == counts[1]
        print(f"{name:32}{counts[0]:>12}{counts[1]:>12}{times[0]:>10.1f}{times[1]:>10.1f}{times[1] / times[0]:>8.1f}")
    return same


def works(member: Membership) -> Iterator[tuple[str, Work]]:
    """The same pages and readers for one organization, by name."""
    client = Client()
    client.force_login(member.user)
    for name in ("company_list", "person_list", "prospect_list", "deal_list", "opportunity_list"):
        yield name, page(client, reverse(name))
    yield "company_list, searched", page(client, f"{reverse('company_list')}?q=company+0007")
    yield "company_list, filtered, page 2", page(client, f"{reverse('company_list')}?stage=lead&page=2")
    for reader, model in READERS:
        with tenant(member.organization_id):
            ids = [str(key) for key in model.objects.values_list("pk", flat=True)[:SCOPE]]
        yield f"{reader.kind}_detail", page(client, reverse(f"{reader.kind}_detail", args=[ids[0]]))
        yield f"{reader.kind} reader, {SCOPE} records", read(member, reader, ids)


def page(client: Client, address: str) -> Work:
    def work() -> None:
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code)

    return work


def read(member: Membership, reader: Reader, ids: list[str]) -> Work:
    def work() -> None:
        with tenant(member.organization_id):
            assert len(reader.read(member.actor, ids)) == SCOPE

    return work


def count_statements(work: Work) -> int:
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def median_milliseconds(work: Work) -> float:
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def measure_import(member: Membership) -> bool:
    rows = (f"Imported {n},i{n}.example,Payments,{member.user.username}" for n in range(IMPORT_ROWS))
    data = "\n".join(["name,domain,industry,owner", *rows]).encode()
    seconds = []
    for content in (data, data.replace(b"Payments", b"Banking")):
        started = time.perf_counter()
        with tenant(member.organization_id):
            result = import_records(actor=member.actor, kind="companies", file_name="bench.csv", data=content)
        seconds.append(time.perf_counter() - started)
        print(f"import: {result} {seconds[-1]:.1f} s")
    return max(seconds) < IMPORT_SECONDS


if __name__ == "__main__":
    main()
