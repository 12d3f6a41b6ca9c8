"""Bytes to text: the right text, or a refusal."""

import codecs

import pytest

from knowledge.extraction.encodings import decode
from knowledge.extraction.port import ExtractionFailed
from tests.corpora import corpus

GERMAN = "Größe, Füße und Straße: „Anführung“ – für 5 €. " * 4
CHINESE = "员工每年享有十五天带薪年假，需要提前两周申请。" * 6


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_german_text_comes_out_right(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == GERMAN


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")],
)
def test_every_byte_order_mark_is_believed(mark: bytes, encoding: str) -> None:
    assert decode(mark + GERMAN.encode(encoding)) == GERMAN


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_recognised(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == GERMAN
    assert decode("Plain words.\n".encode(encoding)) == "Plain words.\n"


@pytest.mark.parametrize("encoding", ["gb18030", "gbk"])
def test_chinese_text_comes_out_right(encoding: str) -> None:
    assert decode(CHINESE.encode(encoding)) == CHINESE


def test_western_quotes_come_out_right() -> None:
    assert decode(b"He said \x93no\x94 \x96 it\x92s final.") == "He said “no” – it’s final."


def test_a_declared_encoding_is_believed_only_if_it_fits() -> None:
    assert decode("Größe".encode("iso-8859-15"), "iso-8859-15") == "Größe"
    assert decode("Größe".encode(), "iso-8859-15") == "Größe"
    assert decode(GERMAN.encode("cp1252"), "no-such-encoding") == GERMAN


def test_line_ends_become_newlines() -> None:
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_text_with_some_control_characters_is_cleaned() -> None:
    log = "\x1b[31mThe stage changed.\x1b[0m A bell \x07, a C1 \x9f and a form feed \x0c stand here. " + GERMAN

    assert decode(log.encode()) == log.translate({0x1B: None, 0x07: None, 0x9F: None})


def test_a_list_of_naughty_strings_is_text() -> None:
    """Every control character once and much of the rest of Unicode, in UTF-8."""
    text = decode(corpus("attacks/blns/blns.txt").read_bytes())

    assert "Strings which may be used elsewhere in code" in text
    assert "田中さんにあげて下さい" in text
    assert not set(text) & {chr(code) for code in (0, 1, 7, 8, 27, 127, 128, 159)}


@pytest.mark.parametrize(
    "data",
    [
        # Without a zero byte or one above 127, as short machine code and packed tables can be.
        bytes(1 + number * 7 % 127 for number in range(4_000)),
        ("words and \x01\x02\x03 records " * 200).encode(),
        b"text \x00 text " * 20,
        bytes(range(256)) * 8,
        b"good start " + b"\xff\xfe\xfd\x81\x8d\x8f\x90\x9d" * 30,
        codecs.BOM_UTF8 + b"caf\xe9 \xff",
        codecs.BOM_UTF16_LE + b"\x00\xd8\x00\xd8" * 9,
        b"%\x01\x02\x03\x04\x05 control \x06\x07\x08 words",
    ],
)
def test_what_is_not_surely_text_is_refused(data: bytes) -> None:
    with pytest.raises(ExtractionFailed) as failure:
        decode(data)

    assert failure.value.code in {"binary", "bad_encoding"}
