"""What members type on the pages of the records."""

from collections.abc import Iterable

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils import timezone

from crm.actions.activities import SUBJECT_MAX_LENGTH
from crm.actions.history import REASON_MAX_LENGTH
from crm.importing import IMPORTERS
from crm.models import Activity, Company, Deal, Prospect
from crm.wording import name_of
from organizations.models import User

IMPORT_MAX_BYTES = 10 * 1024**2


class ReasonForm(forms.Form):
    """A change that keeps its reason in the history."""

    reason = forms.CharField(max_length=REASON_MAX_LENGTH, label="Why")


class LifecycleStageForm(ReasonForm):
    stage = forms.ChoiceField(choices=Company.LifecycleStage.choices, label="Lifecycle stage")
    field_order = ["stage", "reason"]


class DealStageForm(ReasonForm):
    stage = forms.ChoiceField(choices=Deal.Stage.choices, label="Stage")
    field_order = ["stage", "reason"]


class ReviewForm(ReasonForm):
    """Offers only the states that the prospect may be moved to."""

    state = forms.ChoiceField(label="Move to")
    field_order = ["state", "reason"]

    def __init__(self, data: QueryDict | None = None, *, prospect: Prospect) -> None:
        super().__init__(data)
        moves = Prospect.REVIEW_MOVES[Prospect.ReviewState(prospect.review_state)]
        choices = [(move.value, str(move.label)) for move in moves]
        self.fields["state"] = forms.ChoiceField(choices=choices, label="Move to")


class OwnerForm(forms.Form):
    owner = forms.TypedChoiceField()

    def __init__(self, data: QueryDict | None = None, *, members: Iterable[User], current: User | None = None) -> None:
        super().__init__(data, initial={"owner": current.pk if current else ""})
        choices = [("", "Nobody"), *((member.pk, name_of(member)) for member in members)]
        self.fields["owner"] = forms.TypedChoiceField(choices=choices, coerce=int, empty_value=None, required=False)


class ActivityForm(forms.Form):
    kind = forms.ChoiceField(choices=Activity.Kind.choices)
    happened_at = forms.DateTimeField(
        label="When",
        initial=timezone.localtime,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    subject = forms.CharField(max_length=SUBJECT_MAX_LENGTH)
    body = forms.CharField(required=False, label="Details", widget=forms.Textarea(attrs={"rows": 3}))


class ImportForm(forms.Form):
    kind = forms.ChoiceField(
        choices=[("", "Choose…"), *((kind, kind.capitalize()) for kind in IMPORTERS)], label="What the file holds"
    )
    file = forms.FileField(label="CSV file", widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt"}))

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > IMPORT_MAX_BYTES:
            raise forms.ValidationError(f"The file is larger than {IMPORT_MAX_BYTES // 1024**2} MB.")
        return file
