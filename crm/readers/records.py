"""What the readers of the CRM's records share."""

from collections.abc import Sequence
from typing import TypeVar

from agencycore.readers import BatchReader
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from crm.models.records import Record
from crm.readers.fields import ref_to

RecordT = TypeVar("RecordT", bound=Record)


class RecordReader(BatchReader[RecordT]):
    """A record that is told with what lies around it, and named by itself."""

    def read_labels(self, actor: Actor, ids: Sequence[str]) -> list[ResourceRef]:
        return [ref_to(record, self.kind) for record in self.find(actor, ids)]
