from rest_framework import serializers

from knowledge.models import KnowledgeSource


class SourceSerializer(serializers.ModelSerializer[KnowledgeSource]):
    done = serializers.IntegerField(source="done_steps", read_only=True)
    total = serializers.IntegerField(source="total_steps", read_only=True)
    chunks = serializers.IntegerField(source="chunk_count", read_only=True)
    is_platform = serializers.BooleanField(read_only=True)

    class Meta:
        model = KnowledgeSource
        fields = (
            "id",
            "title",
            "filename",
            "kind",
            "language",
            "size",
            "state",
            "stage",
            "done",
            "total",
            "failure_code",
            "failure_reason",
            "chunks",
            "is_platform",
            "created_at",
            "state_changed_at",
        )
        read_only_fields = fields


class UploadSerializer(serializers.Serializer[object]):
    file = serializers.FileField(allow_empty_file=True)
    title = serializers.CharField(max_length=300, required=False, allow_blank=True)


class ReceiptSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    source_id = serializers.UUIDField()
    title = serializers.CharField()
    chunks_removed = serializers.IntegerField()
    index_rows_removed = serializers.IntegerField()
    rows_remaining = serializers.IntegerField()
    redactions = serializers.DictField(child=serializers.IntegerField())
