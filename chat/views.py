"""The chat page: parse, call, present."""

from django.http import HttpResponse
from django.shortcuts import render

from organizations.access import MemberRequest, member_required


@member_required
def new_conversation(request: MemberRequest) -> HttpResponse:
    return render(request, "chat/conversation.html")
