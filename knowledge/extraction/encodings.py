"""Bytes to text: the right text, or a refusal. Never mojibake."""

import codecs
import re

from charset_normalizer import from_bytes

from knowledge.extraction.port import ExtractionFailed

# UTF-32 first: its little-endian mark begins with UTF-16's.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What detection may choose between: the encodings documents of offices are in.
CANDIDATES = ["cp1252", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1250", "cp1251", "cp1253", "cp1254"]
DETECTION_BYTES = 64_000
# Detection's own measure of disorder, 0 to 1; real text stays far below.
MAXIMUM_CHAOS = 0.2
MAXIMUM_CONTROL_SHARE = 0.001

# What UTF-8 decodes is text by its form; binaries that pass by chance are mostly characters of no text.
MAXIMUM_CONTROL_SHARE_OF_UTF8 = 0.02

# C0 and C1 without tab, line ends and form feeds, and the non-characters.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def decode(data: bytes, declared: str = "") -> str:
    """The text of ``data`` with newlines as ``\\n``; raises ExtractionFailed if it is not surely text.

    ``declared`` is the encoding the document itself names; it is believed only if it fits.
    """
    text = _decode_marked(data) or _decode_unmarked_wide(data)
    share = MAXIMUM_CONTROL_SHARE
    if text is None and (text := _decode_as(data, "utf-8")) is not None:
        share = MAXIMUM_CONTROL_SHARE_OF_UTF8
    if text is None and declared:
        text = _decode_as(data, declared)
    if text is None:
        text = _detect(data)
    return _checked(text.replace("\r\n", "\n").replace("\r", "\n"), share)


def _decode_marked(data: bytes) -> str | None:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                raise _bad_encoding() from None
    return None


def _decode_as(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_unmarked_wide(data: bytes) -> str | None:
    """UTF-16 without a mark, which ASCII in it makes valid UTF-8 too: every second byte of Latin text is zero."""
    sample = data[:DETECTION_BYTES]
    if len(sample) < 4 or len(data) % 2:
        return None
    half = len(sample) // 2
    if sample[1::2].count(0) > half * 0.6:
        return _decode_as(data, "utf-16-le")
    if sample[0::2].count(0) > half * 0.6:
        return _decode_as(data, "utf-16-be")
    return None


def _detect(data: bytes) -> str:
    if b"\x00" in data:
        raise _binary()
    for match in from_bytes(data[:DETECTION_BYTES], cp_isolation=CANDIDATES, threshold=MAXIMUM_CHAOS):
        text = _decode_as(data, match.encoding)
        if text is not None:
            return text
    raise _bad_encoding()


def _checked(text: str, share: float) -> str:
    if "\x00" in text:
        raise _binary()
    controls = len(_CONTROLS.findall(text))
    if controls > max(2, len(text) * share):
        raise _binary()
    return _CONTROLS.sub("", text)


def _binary() -> ExtractionFailed:
    return ExtractionFailed("binary", "This file holds binary data and no readable text.")


def _bad_encoding() -> ExtractionFailed:
    return ExtractionFailed(
        "bad_encoding", "The text's encoding could not be determined. Save the file as UTF-8 and upload it again."
    )
