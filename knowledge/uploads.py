"""What may be uploaded, checked before anything is stored."""

import hashlib
import unicodedata
from pathlib import PurePosixPath

from django.conf import settings
from django.core.files.base import File

from agencycore.errors import ProductError

FILENAME_LENGTH = 255


class EmptyFile(ProductError):
    code = "empty"


class FileTooLarge(ProductError):
    code = "too_large"
    status = 413


def check_size(size: int) -> None:
    if size == 0:
        raise EmptyFile("The file is empty.")
    if size > settings.UPLOAD_MAX_BYTES:
        raise FileTooLarge(f"The file is larger than {settings.UPLOAD_MAX_BYTES // 1024**2} MB.")


def hash_file(file: "File[bytes]") -> str:
    digest = hashlib.sha256()
    for part in file.chunks():
        digest.update(part)
    file.seek(0)
    return digest.hexdigest()


def clean_filename(name: str) -> str:
    """The last part of whatever path a client sent, without characters that do not print."""
    last = PurePosixPath(unicodedata.normalize("NFC", name).replace("\\", "/")).name
    printable = "".join(character for character in last if character.isprintable()).strip(" .")
    return printable[-FILENAME_LENGTH:] or "document"
