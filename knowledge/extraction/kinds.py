"""What a file is, by its first bytes: the kinds that are not read yet get a precise word for the member."""

import re

from knowledge.extraction.port import ExtractionFailed

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "PDF documents"),
    (b"{\\rtf", "RTF documents"),
    (b"PK\x03\x04", "Office documents and archives"),
    (b"PK\x05\x06", "Office documents and archives"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "Old Office documents (.doc, .xls, .ppt) and Outlook messages",
    ),
    (b"\x1f\x8b", "Archives"),
    (b"7z\xbc\xaf\x27\x1c", "Archives"),
    (b"Rar!", "Archives"),
    (b"\x89PNG", "Images"),
    (b"\xff\xd8\xff", "Images"),
    (b"GIF8", "Images"),
    (b"II*\x00", "Images"),
    (b"MM\x00*", "Images"),
    (b"\x7fELF", "Programs"),
    (b"MZ", "Programs"),
    (b"SQLite format 3\x00", "Databases"),
)
# Kinds that are text, and would be found by words that nobody wrote: tags, keys, encoded attachments.
XML = re.compile(r"<\?xml\b|<[a-zA-Z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*[\"'][^\"']*[\"'])*\s*/?>\s*(?:<|\Z)")
MAIL_START = re.compile(r"From |[A-Za-z][\w-]*: ?\S")
MAIL_HEADERS = re.compile(
    r"^(?:return-path|received|from|to|date|subject|message-id|mime-version|content-type|delivered-to):",
    re.IGNORECASE | re.MULTILINE,
)
MINIMUM_MAIL_HEADERS = 3
NAMED_KINDS = {
    (".csv", ".tsv"): "Tables in CSV and TSV",
    (".json", ".jsonl", ".ndjson"): "JSON files",
    (".eml", ".mbox", ".msg"): "E-mail messages",
    (".xml",): "XML files",
    (".rst",): "reStructuredText files",
}


def refuse_unsupported(head: bytes, filename: str) -> None:
    """Raise ``unsupported_kind`` for a kind no extractor is for; silent about text of an open kind."""
    for magic, kind in MAGIC:
        if head.startswith(magic):
            raise unsupported(kind)
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if XML.match(text):
        raise unsupported("XML files")
    if is_mail(text):
        raise unsupported("E-mail messages")
    for endings, kind in NAMED_KINDS.items():
        if filename.lower().endswith(endings):
            raise unsupported(kind)


def is_mail(text: str) -> bool:
    header = text.replace("\r\n", "\n").split("\n\n")[0]
    return bool(MAIL_START.match(header)) and len(MAIL_HEADERS.findall(header)) >= MINIMUM_MAIL_HEADERS


def unsupported(kind: str) -> ExtractionFailed:
    return ExtractionFailed(
        "unsupported_kind", f"{kind} cannot be read yet. Text, Markdown and HTML files can; see “What to upload”."
    )
