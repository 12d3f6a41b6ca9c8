"""The knowledge API under ``/api/v1/knowledge/``."""

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from agencycore.api_pagination import CheckedCursorPagination
from agencycore.api_schema import SEARCH
from knowledge.actions import create_upload, delete_source, retry_ingestion
from knowledge.queries import get_source_for, list_sources
from knowledge.serializers import ReceiptSerializer, SourceSerializer, UploadSerializer
from organizations.access import TenantAPIView


class NewestSources(CheckedCursorPagination):
    ordering = ("-created_at", "-id")


class SourceList(TenantAPIView):
    parser_classes = (MultiPartParser,)
    pagination_class = NewestSources

    @extend_schema(parameters=[SEARCH], responses=SourceSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The documents, newest first. `search` looks into titles."""
        pages = self.pagination_class()
        found = pages.paginate_queryset(list_sources(self.actor, request.query_params.get("search", "")), request, self)
        return pages.get_paginated_response(SourceSerializer(found, many=True).data)

    @extend_schema(request=UploadSerializer, responses={201: SourceSerializer})
    def post(self, request: Request) -> Response:
        """Upload a document. The same file twice answers with the source that is there."""
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        file = form.validated_data["file"]
        title = form.validated_data.get("title", "")
        source = create_upload(actor=self.actor, file=file, filename=file.name or "", title=title)
        return Response(SourceSerializer(source).data, status=status.HTTP_201_CREATED)


class SourceDetail(TenantAPIView):
    @extend_schema(responses=SourceSerializer)
    def get(self, request: Request, source_id: uuid.UUID) -> Response:
        """One document, and how far it is."""
        return Response(SourceSerializer(get_source_for(self.actor, source_id)).data)

    @extend_schema(responses={200: ReceiptSerializer})
    def delete(self, request: Request, source_id: uuid.UUID) -> Response:
        """Delete a document and its passages. The answer is the receipt."""
        return Response(ReceiptSerializer(delete_source(actor=self.actor, source_id=source_id)).data)


class SourceRetry(TenantAPIView):
    @extend_schema(request=None, responses=SourceSerializer)
    def post(self, request: Request, source_id: uuid.UUID) -> Response:
        """Read a document again that could not be read."""
        return Response(SourceSerializer(retry_ingestion(actor=self.actor, source_id=source_id)).data)
