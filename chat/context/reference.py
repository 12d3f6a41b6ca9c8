"""What a message's words point at.

A pure function over what the readers found. Order: the refs sent with the message; words that count
("the second one") or repeat a choice on offer; phrases with a kind's name; plurals; names; pronouns.
A phrase looks in the latest exchange, then at the page, then for the only record of its kind in scope.
"""

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from agencycore.ai.asked import asks_further, asks_more
from agencycore.ai.types import Reference
from agencycore.refs import ResourceRef
from chat.context.choosing import described_options, takes_all
from chat.context.field_words import asks_for_fields, asks_of_field
from chat.context.history import History
from chat.context.naming import Name, find_named
from chat.context.pointing import (
    BarePhrase,
    OrdinalPhrase,
    TypedPhrase,
    compares,
    find_bare,
    find_elliptic,
    find_ordinals,
    find_typed,
    plain,
    says_here,
)
from chat.context.records import Records
from chat.frontdoor.decision import Option

ItemT = TypeVar("ItemT")

# What each message lists, by its id.
Told: TypeAlias = Mapping[uuid.UUID, tuple[ResourceRef, ...]]
NOTHING_TOLD: Told = {}

PERSON = "person"
NOT_NEEDED = Reference("not_needed")
# Cited, but not what a person means by "it": the passage a fact came from.
TEXT_KINDS = frozenset({"knowledge_chunk", "memory"})

# "What does the second one do?" before anything was listed; a longer message may list them itself.
_COUNTS_OFF = re.compile(r"^the .* one$")
COUNTING_WORDS = 8
_BEFORE_COUNTING = re.compile(r"^(?:(?:and|or|but|so|then|ok|okay|no|yes|thanks|what about|how about)\b[\s,.!]*)+")
_ASKS = re.compile(r"(?:when|who|whose|why|how|what|where|is|was|did|does|has|had)\b")
_TWO_OF_A_KIND = re.compile(r"both\b|(?:the|these|those) two\b")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything a message could point at, before asking whether it exists.

    ``asked`` is what the previous message was about, ``shown`` what was answered since, in shown
    order; together they are the latest exchange. ``listed`` is the newest reply's or report's list,
    ``several`` the newest that any message before shows of more than one record.
    ``scope`` is most recent first. ``is_of_one_run``: the newest reply told of one run and of nothing else.
    """

    sent: tuple[ResourceRef, ...] = ()
    options: tuple[Option, ...] = ()
    asked: tuple[ResourceRef, ...] = ()
    shown: tuple[ResourceRef, ...] = ()
    listed: tuple[ResourceRef, ...] = ()
    several: tuple[ResourceRef, ...] = ()
    page: ResourceRef | None = None
    scope: tuple[ResourceRef, ...] = ()
    is_first_message: bool = False
    is_of_one_run: bool = False

    @property
    def exchange(self) -> tuple[ResourceRef, ...]:
        return _unique((*self.shown, *self.asked))


def surroundings_of(
    *, sent: tuple[ResourceRef, ...], page: ResourceRef | None, history: History, told: Told = NOTHING_TOLD
) -> Surroundings:
    """``told`` holds what a message tells one by one although it cites it as one list."""
    asked = [ref for message in history.exchange if message.role == "user" for ref in message.refs]
    shown = [ref for message in history.exchange for ref in message.cited]
    newest = history.newest_shown
    is_of_one_run = newest is not None and [ref.kind for ref in _unique(newest.cited)] == ["run"]
    return Surroundings(
        sent=sent,
        options=history.pending.options if history.pending else (),
        asked=_records_only((*asked, *history.focus)),
        shown=_records_only(shown),
        listed=_records_only(told.get(newest.id, newest.listed) if newest and not is_of_one_run else ()),
        several=_newest_list(history, told),
        page=page,
        scope=history.scope,
        is_first_message=not history.exchange,
        is_of_one_run=is_of_one_run,
    )


def _newest_list(history: History, told: Told) -> tuple[ResourceRef, ...]:
    listed = (told.get(message.id, message.listed) or message.refs for message in reversed(history.messages))
    shown = (_records_only(refs) for refs in listed)
    return next((refs for refs in shown if len(refs) > 1), ())


def resolve_reference(message: str, around: Surroundings, records: Records, run: Reference | None = None) -> Reference:
    """The status of the message's words, with the refs they stand for or may stand for.

    ``run`` is what they mean where they speak of a run (see ``chat.context.run_reference``).
    """
    if (compared := _resolve_compared(message, around, records)) is not None:
        return compared
    if around.sent:
        return _resolve_sent(message, around, records)
    return (
        _resolve_ordinal(message, around, records)
        or _resolve_option(message, around, records)
        or (run if run is not None and run.refs else None)
        or _resolve_typed(message, around, records)
        or _resolve_named(message, around, records)
        or _resolve_bare(message, around, records)
        or run
        or _resolve_unsaid(message, around, records)
        or _resolve_here(message, around, records)
        or NOT_NEEDED
    )


def _resolve_compared(message: str, around: Surroundings, records: Records) -> Reference | None:
    """“Compare it with Birch”, “is Birch bigger than this company?”: the named one and the other, if there are both."""
    named = _named(message, around, records) if compares(message) else ()
    if not named:
        return None
    others = records.labelled(around.sent) or _pointed_beside(named, message, around, records)
    both = _unique((*named, *(ref for ref in others if ref.kind in {name.kind for name in named})))
    return Reference("resolved", both, "") if len(both) > 1 else None


def _pointed_beside(
    named: Sequence[ResourceRef], message: str, around: Surroundings, records: Records
) -> tuple[ResourceRef, ...]:
    """The one record beside the named ones that a phrase or a pronoun means."""
    pointed = _resolve_typed(message, around, records) or _resolve_bare(message, around, records)
    found = pointed.refs if pointed is not None else ()
    beside = tuple(ref for ref in found if ref.key not in {name.key for name in named})
    return beside if len(beside) == 1 else ()


def pick_option(message: str, options: Sequence[Option]) -> Option | None:
    """The choice that ``message`` takes, by its number or by its name; None if it takes none or several."""
    if not options:
        return None
    if (whole := _whole_option(message, options)) is not None:
        return whole
    for phrase in find_ordinals(message, is_choice=True):
        picked = _at(options, phrase.position)
        if picked is not None:
            return picked
    named = find_named(message, [Name(str(index), option.label, "") for index, option in enumerate(options)])
    return options[int(named[0].key)] if len(named) == 1 else None


def _whole_option(message: str, options: Sequence[Option]) -> Option | None:
    """The option whose label is all that the message says, whatever words that label quotes."""
    text = plain(message)
    same = [option for option in options if plain(option.label) == text]
    return same[0] if len(same) == 1 else None


def _resolve_sent(message: str, around: Surroundings, records: Records) -> Reference:
    """Sent refs come first, and one that cannot be read is absent: nothing else takes its place."""
    found = records.labelled(around.sent)
    if not found:
        return Reference("absent", _bare_refs(around.sent))
    picked = _whole_option(message, around.options)
    if picked is not None and picked.ref and picked.ref.key in {ref.key for ref in found}:
        return Reference("resolved", found)
    phrase = next((p for p in find_typed(message) if p.is_firm and p.number == "one"), None)
    fitting = _of_kinds(found, phrase.kinds) if phrase else found
    if phrase and len(fitting) > 1:
        return Reference("ambiguous", fitting, phrase.text)
    bare = None if phrase else find_bare(message)
    if bare and bare.number == "one":
        # The page's record stands beside the sent ones: "them" may be either.
        seen = _fitting(_unique((*found, *_page_of_same_kind(found, around, records))), bare)
        if len(seen) > 1 and not find_named(message, _names(seen)):
            return Reference("ambiguous", seen, bare.text)
    if phrase and not fitting:
        return _resolve_phrase(phrase, around, records) or Reference("resolved", found)
    return Reference("resolved", fitting, phrase.text if phrase else "")


def _page_of_same_kind(
    found: tuple[ResourceRef, ...], around: Surroundings, records: Records
) -> tuple[ResourceRef, ...]:
    page = records.labelled([around.page] if around.page else [])
    return tuple(ref for ref in page if ref.kind in {other.kind for other in found})


def _resolve_ordinal(message: str, around: Surroundings, records: Records) -> Reference | None:
    for phrase in find_ordinals(message, is_choice=bool(around.options)):
        if around.options:
            return _resolve_choice(phrase, around, records)
        listed = _of_kinds(around.listed or (() if around.is_of_one_run else around.asked), phrase.kinds)
        if len(listed) == 1 and len(several := _of_kinds(around.several, phrase.kinds)) > 1 and listed[0] in several:
            listed = several  # one of a list was told: the others are counted in that list
        if phrase.position == 0:
            return _resolve_other(listed, phrase, around, records)
        # One record is no list: what was counted off then are its fields.
        if len(listed) > 1 or (listed and abs(phrase.position) == 1):
            ref = _at(listed, phrase.position)
            return _of_one(ref, phrase.text, records) if ref else Reference("missing", (), phrase.text)
        if not listed and _counts_what_is_not_there(message, phrase, around):
            return Reference("missing", (), phrase.text)
    return None


def _counts_what_is_not_there(message: str, phrase: OrdinalPhrase, around: Surroundings) -> bool:
    """ "The second one" and nothing else after word of one run, or as the first words of a conversation."""
    if not _COUNTS_OFF.search(phrase.text):
        return False
    is_bare = _BEFORE_COUNTING.sub("", plain(message)).strip(" .?!") in (phrase.text, f"{phrase.text} please")
    return (is_bare and around.is_of_one_run) or (around.is_first_message and len(message.split()) <= COUNTING_WORDS)


def _resolve_other(
    listed: tuple[ResourceRef, ...], phrase: OrdinalPhrase, around: Surroundings, records: Records
) -> Reference | None:
    """Of a list, what was not asked about; where all of it was, what was not told; where all was told, any of it."""
    left = (
        tuple(ref for ref in listed if ref.key not in {one.key for one in told})
        for told in (around.asked, around.shown)
    )
    others = next((refs for refs in left if refs), listed if len(listed) > 1 else ())
    return _of_candidates(records.labelled(others), phrase.text) if others else None


def _resolve_choice(phrase: OrdinalPhrase, around: Surroundings, records: Records) -> Reference:
    option = _at(around.options, phrase.position)
    if option is None:
        refs = [option.ref for option in around.options if option.ref]
        return Reference("missing", records.labelled(refs), phrase.text)
    return _of_option(option, records)


def _resolve_option(message: str, around: Surroundings, records: Records) -> Reference | None:
    option = pick_option(message, around.options)
    if option is not None:
        return _of_option(option, records)
    refs = [option.ref for option in around.options if option.ref]
    if refs and takes_all(message):
        return Reference("resolved", records.labelled(refs), plain(message))
    fitting = [] if _asks_of_unnamed(message) else described_options(message, around.options, records)
    if len(fitting) == 1:
        return _of_option(fitting[0], records)
    fewer = records.labelled([option.ref for option in fitting if option.ref])
    return Reference("ambiguous", fewer, plain(message)) if 1 < len(fewer) < len(around.options) else None


def _asks_of_unnamed(message: str) -> bool:
    """ "When did its stage change?" asks of one of the choices, and says nothing that tells which."""
    phrase = find_bare(message)
    is_whole = _ASKS.match(_BEFORE_COUNTING.sub("", plain(message))) is not None
    return is_whole and phrase is not None and phrase.number == "one"


def _of_option(option: Option, records: Records) -> Reference:
    return _of_one(option.ref, option.label, records) if option.ref else Reference("not_needed", (), option.label)


def _resolve_typed(message: str, around: Surroundings, records: Records) -> Reference | None:
    named = {ref.key for ref in _named(message, around, records)}
    for phrase in find_typed(message):
        resolved = _resolve_phrase(phrase, around, records)
        if resolved is None:
            continue
        # "Is Birch bigger than this company": the phrase is the one not named.
        others = tuple(ref for ref in resolved.refs if ref.key not in named)
        if resolved.status == "ambiguous" and len(others) == 1 < len(resolved.refs):
            return Reference("resolved", others, phrase.text)
        return resolved
    return None


def _resolve_phrase(phrase: TypedPhrase, around: Surroundings, records: Records) -> Reference | None:
    if phrase.text.endswith(" page"):
        return _of_one(around.page, phrase.text, records) if around.page else Reference("missing", (), phrase.text)
    exchange = records.labelled(_of_kinds(around.exchange, phrase.kinds))
    if phrase.number == "many":
        return _of_many(exchange, phrase, around, records)
    page = records.labelled(_of_kinds([around.page] if around.page else [], phrase.kinds))
    candidates = _narrow(exchange, page, around) or page
    if candidates:
        return _of_candidates(candidates, phrase.text) if phrase.is_firm or len(candidates) == 1 else None
    in_scope = records.labelled(_of_kinds(around.scope, phrase.kinds))
    if len(in_scope) == 1:
        return Reference("resolved", in_scope, phrase.text)
    if not phrase.is_firm:
        return None
    if in_scope:
        return Reference("ambiguous", in_scope, phrase.text)
    return _none_found(phrase, around)


def _of_many(
    exchange: tuple[ResourceRef, ...], phrase: TypedPhrase, around: Surroundings, records: Records
) -> Reference | None:
    refs = exchange if phrase.kinds else _one_kind(exchange)
    count = 2 if _TWO_OF_A_KIND.match(phrase.text) else None
    if len(refs) == 1:
        refs = _with_others(refs[0], count, around, records)
    refs = refs or records.labelled(_of_kinds(around.scope, phrase.kinds))
    if not refs:
        # "these companies" with none about; "all companies" is about companies at large.
        return None if phrase.text.startswith("all ") else _none_found(phrase, around)
    return Reference("ambiguous" if count and len(refs) != count else "resolved", refs, phrase.text)


def _narrow(
    exchange: tuple[ResourceRef, ...], page: tuple[ResourceRef, ...], around: Surroundings
) -> tuple[ResourceRef, ...]:
    """Of several in the exchange: the one on the page, else the one that was asked about."""
    if len(exchange) < 2:
        return exchange
    keys = {ref.key for ref in page}
    on_page = tuple(ref for ref in exchange if ref.key in keys)
    asked = {ref.key for ref in around.asked}
    asked_about = tuple(ref for ref in exchange if ref.key in asked)
    return next((one for one in (on_page, asked_about) if len(one) == 1), exchange)


def _none_found(phrase: TypedPhrase, around: Surroundings) -> Reference:
    """Nothing readable: absent if a ref of the kind is there and cannot be read, else missing."""
    everywhere = (*around.exchange, *([around.page] if around.page else []), *around.scope)
    unread = _of_kinds(everywhere, phrase.kinds)
    return Reference("absent", _bare_refs(unread), phrase.text) if unread else Reference("missing", (), phrase.text)


def _resolve_named(message: str, around: Surroundings, records: Records) -> Reference | None:
    found = _named(message, around, records)
    if not found:
        return None
    names = {name.text for name in find_named(message, _names(_readable(around, records)))}
    is_same_name = len(found) > 1 and len(names) == 1
    return Reference("ambiguous" if is_same_name else "resolved", found, " ".join(sorted(names)))


def _named(message: str, around: Surroundings, records: Records) -> tuple[ResourceRef, ...]:
    readable = _readable(around, records)
    by_key = {":".join(ref.key): ref for ref in readable}
    return tuple(by_key[name.key] for name in find_named(message, _names(readable)))


def _names(refs: Iterable[ResourceRef]) -> list[Name]:
    return [Name(":".join(ref.key), ref.label, ref.kind) for ref in refs]


def _readable(around: Surroundings, records: Records) -> tuple[ResourceRef, ...]:
    return records.labelled((*around.exchange, *([around.page] if around.page else []), *around.scope))


def _resolve_bare(message: str, around: Surroundings, records: Records) -> Reference | None:
    """A pronoun means records only where the latest exchange was about records, else the topic."""
    phrase = find_bare(message)
    if phrase is None:
        return None
    if around.is_first_message:
        return _resolve_on_page(phrase, around, records)
    if phrase.number == "many":
        return _resolve_several(phrase, around, records)
    offered = tuple(option.ref for option in around.options if option.ref)
    pools = (_fitting(records.labelled(refs), phrase) for refs in (around.shown, around.asked, offered))
    pool = next((refs for refs in pools if refs), ())
    asked = {ref.key for ref in around.asked}
    about = tuple(ref for ref in pool if ref.key in asked)
    return _of_candidates(about if len(about) == 1 else pool, phrase.text) if pool else None


def _resolve_several(phrase: BarePhrase, around: Surroundings, records: Records) -> Reference | None:
    """One record is not "both": the others that were talked of stand beside it, or it is asked which one is meant."""
    pools = (_of_kinds(records.labelled(refs), phrase.kinds) for refs in (around.shown, around.asked))
    refs = next((_one_kind(pool) for pool in pools if pool), ())
    if len(refs) == 1 and phrase.of_several:
        refs = _with_others(refs[0], phrase.count, around, records)
    if not refs or (len(refs) == 1 and phrase.of_several and not phrase.is_firm):
        return None
    is_other_count = (phrase.count and len(refs) != phrase.count) or (phrase.of_several and len(refs) == 1)
    return Reference("ambiguous" if is_other_count else "resolved", refs, phrase.text)


def _with_others(
    one: ResourceRef, count: int | None, around: Surroundings, records: Records
) -> tuple[ResourceRef, ...]:
    """The record with those it was listed with, else with those of its kind that were talked of, oldest first."""
    listed = _of_kinds(records.labelled(around.several), [one.kind])
    talked_of = records.labelled(reversed(_of_kinds(around.scope, [one.kind])))
    pools = [pool for pool in (listed, talked_of) if len(pool) > 1 and one.key in {ref.key for ref in pool}]
    fitting = [pool for pool in pools if len(pool) == count]
    return next(iter((*fitting, *pools)), (one,))


def _resolve_on_page(phrase: BarePhrase, around: Surroundings, records: Records) -> Reference | None:
    """Nothing was said yet: "this" can only be what the person is looking at."""
    page = records.labelled([around.page] if around.page else [])
    return Reference("resolved", page, phrase.text) if phrase.number == "one" and _fitting(page, phrase) else None


def _resolve_unsaid(message: str, around: Surroundings, records: Records) -> Reference | None:
    """ "Since when?", "last contact?", "tell me more" leave out their record: the one the latest exchange was about."""
    about = records.labelled(around.shown) or records.labelled(around.asked)
    if len(about) > 1 and asks_further(message) and len({ref.kind for ref in about}) == 1:
        return Reference("resolved", about)
    record = records.find(about[0]) if len(about) == 1 else None
    if record is None:
        return None
    phrase = find_elliptic(message)
    is_about = phrase or asks_more(message) or asks_for_fields(message, record) or asks_of_field(message, record)
    return Reference("resolved", about, phrase) if is_about else None


def _resolve_here(message: str, around: Surroundings, records: Records) -> Reference | None:
    page = records.labelled([around.page] if around.page else [])
    return Reference("resolved", page, "here") if page and says_here(message) else None


def _fitting(refs: tuple[ResourceRef, ...], phrase: BarePhrase) -> tuple[ResourceRef, ...]:
    if phrase.is_person is None:
        return refs
    people = tuple(ref for ref in refs if ref.kind == PERSON)
    if phrase.is_person:
        return people
    return tuple(ref for ref in refs if ref.kind != PERSON)


def _one_kind(refs: tuple[ResourceRef, ...]) -> tuple[ResourceRef, ...]:
    """The refs of the kind of which there are several; all of them where that does not decide."""
    counts = {kind: sum(ref.kind == kind for ref in refs) for kind in {ref.kind for ref in refs}}
    several = [kind for kind, count in counts.items() if count > 1]
    return tuple(ref for ref in refs if ref.kind == several[0]) if len(several) == 1 else refs


def _of_one(ref: ResourceRef | None, phrase: str, records: Records) -> Reference:
    if ref is None:
        return Reference("missing", (), phrase)
    found = records.labelled([ref])
    return Reference("resolved", found, phrase) if found else Reference("absent", _bare_refs([ref]), phrase)


def _of_candidates(refs: tuple[ResourceRef, ...], phrase: str) -> Reference:
    if not refs:
        return Reference("missing", (), phrase)
    return Reference("resolved" if len(refs) == 1 else "ambiguous", refs, phrase)


def _of_kinds(refs: Iterable[ResourceRef], kinds: Sequence[str]) -> tuple[ResourceRef, ...]:
    return _unique(ref for ref in refs if not kinds or ref.kind in kinds)


def _records_only(refs: Iterable[ResourceRef]) -> tuple[ResourceRef, ...]:
    return _unique(ref for ref in refs if ref.kind not in TEXT_KINDS)


def _unique(refs: Iterable[ResourceRef]) -> tuple[ResourceRef, ...]:
    by_key: dict[tuple[str, str], ResourceRef] = {}
    for ref in refs:
        by_key.setdefault(ref.key, ref)
    return tuple(by_key.values())


def _bare_refs(refs: Iterable[ResourceRef]) -> tuple[ResourceRef, ...]:
    """Without labels: nothing is told of a record that cannot be read."""
    return tuple(ResourceRef(ref.kind, ref.id) for ref in refs)


def _at(items: Sequence[ItemT], position: int) -> ItemT | None:
    index = position - 1 if position > 0 else len(items) + position
    return items[index] if position and 0 <= index < len(items) else None
