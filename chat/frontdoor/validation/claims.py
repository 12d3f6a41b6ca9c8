"""Sentences that claim work: that something was done, is being done, or is about to be.

An answer does no work, so such a sentence is false unless the cited evidence says the same. Offers,
questions, refusals and quotations are not claims. Words are listed for the languages the interface
is used in most; a sentence in another language is still bound by its citations.
"""

import re
from collections.abc import Iterable

from chat.frontdoor.support import Claim, word_support

# The share of a sentence's words that its evidence must hold to speak of finished work.
EVIDENCED = 0.5
QUOTED_SUPPORT = 0.9

# Work a run could do. Reading and finding in the supplied context are not work.
_DONE = r"""
    (?:re)?created|added|sent|emailed|e-mailed|messaged|mailed|updated|changed|edited|modified|deleted|removed|
    (?:re)?scheduled|booked|(?:re)?started|launched|kicked\ off|triggered|initiated|executed|run|ran|stopped|cancell?ed|
    aborted|paused|resumed|assigned|moved|imported|exported|uploaded|published|approved|rejected|promoted|drafted|
    generated|notified|invited|contacted|called|saved|stored|remembered|recorded|logged|enriched|researched|searched|
    qualified|archived|merged|enabled|disabled|activated|configured|set\ up|set|built|submitted|forwarded|completed|
    finished|processed|queued|delegated|handed|escalated|reached\ out|applied|noted|made|taken\ care|registered|
    connected|posted|written|wrote|put|marked|transferred|paid|refunded|ordered|shared|granted|revoked|reset
"""
_DOING = r"""
    creating|adding|sending|emailing|updating|changing|deleting|removing|scheduling|booking|starting|launching|
    triggering|executing|running|stopping|cancell?ing|pausing|assigning|moving|importing|exporting|uploading|publishing|
    approving|rejecting|promoting|drafting|generating|notifying|inviting|contacting|saving|storing|enriching|
    researching|searching|qualifying|building|submitting|forwarding|processing|delegating|escalating|reaching\ out|
    setting|working\ on|on\ it|marking|posting|writing
"""
_DO = r"""
    create|add|send|email|update|change|delete|remove|schedule|book|start|launch|trigger|execute|run|stop|cancel|pause|
    assign|move|import|export|upload|publish|approve|reject|promote|draft|generate|notify|invite|contact|save|store|
    remember|enrich|research|search|qualify|build|submit|forward|process|delegate|escalate|reach\ out|get\ started|
    take\ care|set|let\ you\ know|keep\ you|monitor|watch|follow\ up|get\ back|mark|post|write
"""
_ADVERB = r"just|now|already|also|then|gladly|happily|immediately|right\ away|successfully|since|go\ ahead\ and"
_SOON = rf"(?:(?:{_ADVERB})\s+){{0,3}}"
_WE = r"\b(?:i|we)"

_FIRST_PERSON = (
    rf"{_WE}(?:\s*(?:'|’)ve|\s+have|\s+had|\s*(?:'|’)d)?\s+{_SOON}(?:{_DONE})\b",
    rf"{_WE}\s*(?:(?:'|’)(?:m|re)|\s+(?:am|are|was|were)|(?:'|’)ve\s+been|\s+have\s+been)\s+{_SOON}(?:{_DOING})\b",
    rf"{_WE}\s*(?:(?:'|’)ll|\s+will|\s+shall|(?:'|’)(?:m|re)\s+going\s+to|\s+(?:am|are)\s+going\s+to)\s+{_SOON}(?:{_DO})\b",
    # German, French, Spanish, Italian, Portuguese, Dutch
    r"\b(?:ich\s+habe|habe\s+ich|wir\s+haben)\b(?!.{0,60}\b(?:nicht|kein\w*)\b).{0,120}\b(?:erstellt|angelegt|hinzugefügt|"
    r"gesendet|geschickt|verschickt|aktualisiert|geändert|gelöscht|entfernt|geplant|gestartet|gestoppt|abgebrochen|"
    r"veranlasst|zugewiesen|verschoben|importiert|hochgeladen|veröffentlicht|genehmigt|gespeichert|ausgeführt|erledigt)",
    r"\b(?:j['’]ai|nous\s+avons)\s+(?:\w+\s+){0,3}(?:créé|ajouté|envoyé|modifié|mis\s+à\s+jour|supprimé|planifié|lancé|"
    r"démarré|arrêté|annulé|assigné|déplacé|importé|publié|approuvé|enregistré|programmé|effectué|généré)",
    r"\b(?:he|hemos)\s+(?:\w+\s+){0,2}(?:creado|añadido|agregado|enviado|actualizado|modificado|eliminado|borrado|"
    r"programado|iniciado|lanzado|detenido|cancelado|asignado|movido|importado|publicado|aprobado|guardado|generado)",
    r"\b(?:ho|abbiamo)\s+(?:\w+\s+){0,2}(?:creato|aggiunto|inviato|aggiornato|modificato|eliminato|cancellato|pianificato|"
    r"avviato|fermato|annullato|assegnato|spostato|importato|pubblicato|approvato|salvato|generato)",
    r"\b(?:eu\s+|já\s+)(?:\w+\s+){0,2}(?:criei|adicionei|enviei|atualizei|alterei|excluí|apaguei|agendei|iniciei|parei|"
    r"cancelei|atribuí|movi|importei|publiquei|aprovei|salvei|gerei)",
    r"\bik\s+heb\b(?!.{0,60}\b(?:niet|geen)\b).{0,120}\b(?:aangemaakt|toegevoegd|verzonden|gestuurd|bijgewerkt|gewijzigd|"
    r"verwijderd|gepland|gestart|gestopt|geannuleerd|toegewezen|verplaatst|gepubliceerd|goedgekeurd|opgeslagen)",
)
_IMPERSONAL = (
    r"^\W*(?:all\s+)?(?:done|all\s+set|it\s*(?:'|’)?s\s+(?:all\s+)?done|consider\s+it\s+done|on\s+it|task\s+complete\w*|"
    r"success\w*|completed|finished|erledigt|c['’]est\s+fait|listo|hecho|fatto|feito|klaar)\b\s*[.!,:;–—-]",
    rf"\b(?:has|have)\s+(?:now\s+|just\s+|already\s+|successfully\s+)*been\s+(?:\w+ly\s+)?(?:{_DONE})\b",
    rf"\b(?:is|are)\s+(?:now|already|currently)\s+(?:being\s+)?(?:{_DONE}|{_DOING}|ready|live|under\s+way|underway|in\s+progress)\b",
    rf"\b(?:was|were)\s+(?:just\s+|now\s+)?successfully\s+(?:{_DONE})\b",
    r"\byour\s+(?:\w+\s+){1,4}(?:is|are)\s+(?:ready|done|complete|on\s+(?:its|their)\s+way|underway|in\s+progress)\b",
)
# Not a claim: it is denied, offered, asked or made to depend on something.
_NOT_CLAIMED = re.compile(
    r"\b(?:not|never|cannot|can't|can’t|unable|nothing|no\s+one|nobody|without)\b|n['’]t\b|"
    r"\b(?:if|unless|once|when|whenever|until|after|before|would|could|should|can|may|might|want\s+me\s+to|shall\s+i)\b|\?\s*$",
    re.IGNORECASE,
)
_NEGATED_FIRST_PERSON = re.compile(
    r"\b(?:i|we)\s+(?:\w+\s+)?(?:not|never)\b|\b(?:i|we)\s+(?:have|did|do|am|was|ca|can|could|wo|will|would)n['’]t\b|"
    r"\b(?:i|we)\s+(?:can|could|would|may|might)\b",
    re.IGNORECASE,
)
# "Can I create …", "where did we …": the subject of a question.
_INVERTED = re.compile(r"\b(?:can|could|do|did|may|might|should|shall|must|would)(?:n['’]?t)?\s+$", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if\s+you|would\s+you\s+like|shall\s+i|should\s+i|do\s+you\s+want|want\s+me\s+to|once\s+you|when\s+you|"
    r"as\s+soon\s+as\s+you)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]")
_FLAGS = re.IGNORECASE | re.VERBOSE
_FIRST = [re.compile(pattern, _FLAGS) for pattern in _FIRST_PERSON]
_OTHERS = [re.compile(pattern, _FLAGS) for pattern in _IMPERSONAL]


def claims_work(sentence: str, evidence: Iterable[str] = ()) -> bool:
    """Whether ``sentence`` says that work was, is being or will be done, without ``evidence`` for it.

    ``evidence`` holds the texts the sentence cites; with some, what it quotes is theirs.
    """
    cited = " ".join(evidence)
    words = _QUOTED.sub(" ", sentence) if cited else sentence
    return _speaks_for_itself(words, cited) or _reports_unsupported(words, cited)


def _speaks_for_itself(words: str, cited: str) -> bool:
    if _CONDITION.search(words):
        return False
    claims = [match.start() for pattern in _FIRST for match in pattern.finditer(words)]
    claims = [start for start in claims if not _is_denied_or_asked(words, start)]
    if claims and all(words[start : start + 2].lower() == "we" for start in claims):
        # A document of the organization speaks of itself as "we"; told in its own words, it is evidence.
        return word_support(Claim(words, (cited,))) < QUOTED_SUPPORT
    return bool(claims)


def _is_denied_or_asked(words: str, start: int) -> bool:
    return bool(_NEGATED_FIRST_PERSON.match(words, start) or _INVERTED.search(words, 0, start))


def _reports_unsupported(words: str, cited: str) -> bool:
    if _NOT_CLAIMED.search(words):
        return False
    return any(pattern.search(words) for pattern in _OTHERS) and not _is_evidenced(words, cited)


def _is_evidenced(words: str, cited: str) -> bool:
    """What happened to a record may be told from evidence that tells it."""
    return bool(cited) and word_support(Claim(words, (cited,))) >= EVIDENCED
