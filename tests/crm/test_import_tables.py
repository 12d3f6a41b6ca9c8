"""What kinds of file are read as a table: encodings, delimiters, damage."""

from random import Random

import pytest

from crm.importing import IMPORT_MAX_ROWS, ImportRefused
from crm.importing.tables import UnreadableTable, decode
from tests.crm.importing import bring_in, companies, refused

pytestmark = pytest.mark.django_db

HEADER = "Name,Domain,Industry,Country,Size,Lifecycle stage,Owner"
ONE = f"{HEADER}\nAcme,acme.example,Payments,Ireland,51-200,Prospect,olivia\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The file is empty."),
        ("\n \n", "The file is empty."),
        ('name\n"open', "Row 2 is not valid CSV: a quotation mark opens a cell and none closes it."),
        ('name\nAcme\n"a"b', "Row 3 is not valid CSV: a quotation mark inside a cell is not doubled."),
        ("name\n" + "x" * 300_000, "Row 2 is not valid CSV: a cell has more than 131,072 characters."),
        ("x" * 300_000, "Row 1 is not valid CSV: a cell has more than 131,072 characters."),
        ("name\n" + "Acme\n" * (IMPORT_MAX_ROWS + 1), "more than 10,000 rows"),
        (b"PK\x03\x04....", "not a text file"),
        (b"%PDF-1.7", "not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not a text file"),
        (bytes(range(256)) * 20, "not a text file"),
        (b"\x7fELF\x02\x01\x01" + bytes(500), "not a text file"),
        (Random(7).randbytes(20_000), "not a text file"),
        (b"\xff\xfeA", "no text"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_words(owner, text, said):
    with pytest.raises(UnreadableTable, match=said):
        bring_in(owner, "companies", text)


@pytest.mark.parametrize("text", ["name,domain", "name,domain\n", "name\n , \n\n"])
def test_a_file_without_rows_is_refused(owner, text):
    with pytest.raises(ImportRefused, match="The file has no rows below its header"):
        bring_in(owner, "companies", text)


def test_a_control_character_is_refused_by_row(owner):
    assert refused(owner, "companies", b"name\nAcme\nBad\x07name\n") == [(3, "Name", "holds a control character.")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(owner, delimiter):
    bring_in(owner, "companies", ONE.replace(",", delimiter))

    assert companies(owner) == [("Acme", "acme.example", "prospect")]


NAMES = "Müller & Söhne “Café”, Łódź"


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", NAMES),
        ("utf-8-sig", NAMES),
        ("utf-16", NAMES),
        ("utf-16-le", NAMES),
        ("utf-16-be", NAMES),
        ("cp1252", "Müller & Söhne “Café” – 100 €"),
        ("gb18030", "北京字节跳动科技有限公司"),
        ("cp1251", "Общество с ограниченной ответственностью Ромашка"),
    ],
)
def test_the_encoding_is_found(owner, encoding, name):
    text = f'name,domain,industry\n"{name}",acme.example,"{name}"\n'

    bring_in(owner, "companies", text.encode(encoding))

    assert companies(owner) == [(name, "acme.example", "lead")]


def test_a_short_file_with_one_umlaut_is_read_as_western():
    assert decode("name\nMüller\n".encode("cp1252")) == "name\nMüller\n"


def test_line_breaks_inside_a_cell_do_not_move_the_row_numbers(owner):
    assert refused(owner, "companies", 'name,domain\n"Two\nlines",two.example\nBad,no domain\n') == [
        (3, "Domain", "“no domain” is not a web domain, for example acme.com.")
    ]


# --- people ------------------------------------------------------------------------------------
