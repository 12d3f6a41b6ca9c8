from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from agencycore.errors import ProductError
from crm.forms import ImportForm
from crm.importing import IMPORT_MAX_ROWS, IMPORTERS, ImportRefused, import_records
from organizations.access import MemberRequest, member_required

PROBLEMS_SHOWN = 100
LISTS = {"companies": "company_list", "people": "person_list", "deals": "deal_list"}


@member_required
def crm_import(request: MemberRequest) -> HttpResponse:
    form = _form(request)
    if not form.is_valid():
        return _page(request, form)
    kind, file = form.cleaned_data["kind"], form.cleaned_data["file"]
    try:
        result = import_records(actor=request.actor, kind=kind, file_name=file.name, data=file.read())
    except ProductError as refusal:
        form.add_error(None, str(refusal))
        return _page(request, form, refusal if isinstance(refusal, ImportRefused) else None)
    messages.success(request, str(result))
    return redirect(LISTS[kind])


def _form(request: MemberRequest) -> ImportForm:
    if request.method == "POST":
        return ImportForm(request.POST, request.FILES)
    kind = request.GET.get("kind")
    return ImportForm(initial={"kind": kind} if kind in IMPORTERS else None)


def _page(request: MemberRequest, form: ImportForm, refusal: ImportRefused | None = None) -> HttpResponse:
    problems = refusal.problems if refusal else ()
    context = {
        "form": form,
        "problems": problems[:PROBLEMS_SHOWN],
        "problems_left": max(0, len(problems) - PROBLEMS_SHOWN),
        "importers": IMPORTERS.values(),
        "max_rows": IMPORT_MAX_ROWS,
    }
    return render(request, "crm/import.html", context, status=422 if form.errors else 200)
