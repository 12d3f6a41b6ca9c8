"""How work is spoken of: the words and the forms of a sentence that says it was, is being or will be done.

Words are listed for the languages the interface is used in most.
"""

import re

# Work a run could do. Reading and finding in the supplied context are not work.
DONE = r"""
    (?:re)?created|added|sent|emailed|e-mailed|messaged|mailed|updated|changed|edited|modified|deleted|removed|
    (?:re)?scheduled|booked|(?:re)?started|launched|kicked\ off|triggered|initiated|executed|run|ran|stopped|cancell?ed|
    aborted|paused|resumed|assigned|moved|imported|exported|uploaded|published|approved|rejected|promoted|drafted|
    generated|notified|invited|contacted|called|saved|stored|remembered|recorded|logged|enriched|researched|searched|
    qualified|archived|merged|enabled|disabled|activated|configured|set\ up|set|built|submitted|forwarded|completed|
    finished|processed|queued|delegated|handed|escalated|reached\ out|applied|noted|made|taken\ care|registered|
    connected|posted|written|wrote|put|marked|transferred|paid|refunded|ordered|shared|granted|revoked|reset
"""
DOING = r"""
    creating|adding|sending|emailing|updating|changing|deleting|removing|scheduling|booking|starting|launching|
    triggering|executing|running|stopping|cancell?ing|pausing|assigning|moving|importing|exporting|uploading|publishing|
    approving|rejecting|promoting|drafting|generating|notifying|inviting|contacting|saving|storing|enriching|
    researching|searching|qualifying|building|submitting|forwarding|processing|delegating|escalating|reaching\ out|
    setting|working\ on|on\ it|marking|posting|writing
"""
DO = r"""
    create|add|send|email|update|change|delete|remove|schedule|book|start|launch|trigger|execute|run|stop|cancel|pause|
    assign|move|import|export|upload|publish|approve|reject|promote|draft|generate|notify|invite|contact|save|store|
    remember|enrich|research|search|qualify|build|submit|forward|process|delegate|escalate|reach\ out|get\ started|
    take\ care|set|let\ you\ know|keep\ you|monitor|watch|follow\ up|get\ back|mark|post|write
"""
ADVERB = r"just|now|already|also|then|gladly|happily|immediately|right\ away|successfully|since|go\ ahead\ and"
_SOON = rf"(?:(?:{ADVERB})\s+){{0,3}}"
_WE = r"\b(?:i|we)"

FIRST_PERSON = (
    rf"{_WE}(?:\s*(?:'|’)ve|\s+have|\s+had|\s*(?:'|’)d)?\s+{_SOON}(?:{DONE})\b",
    rf"{_WE}\s*(?:(?:'|’)(?:m|re)|\s+(?:am|are|was|were)|(?:'|’)ve\s+been|\s+have\s+been)\s+{_SOON}(?:{DOING})\b",
    rf"{_WE}\s*(?:(?:'|’)ll|\s+will|\s+shall|(?:'|’)(?:m|re)\s+going\s+to|\s+(?:am|are)\s+going\s+to)\s+{_SOON}(?:{DO})\b",
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

# In the passive and the perfect, what happened may be more than what one says of oneself.
# "Run", "set" and their like are also nouns and orders: without "was" or "has" they tell nothing.
_HAPPENED = rf"(?:{DONE}|ended|begun|performed|carried\ out|fulfilled|renamed|linked|converted|replied|prepared)"
# What does work itself, and what work is done to.
OWN_WORK = r"(?:run|request|task|job|search|workflow|agent|automation)s?"
_THING = rf"""
    (?:{OWN_WORK}|(?:contact|e-?mail|mail|message|deal|note|record|prospect|reminder|meeting|call|schedule|export|import|
    invitation|campaign|draft|repl(?:y|ie)|ticket|order|change|update|opportunity|action|preference|follow-?up|event|
    appointment|report|document|list)s?|(?:compan|activit|quer)(?:y|ies)|person|people)
"""
_WORKER = rf"(?:{OWN_WORK}|chat|agencycore|assistants?|system|bot)"
_HOW = rf"(?:(?!not\b|never\b|no\b)(?:{ADVERB}|\w+ly|all|both|so\ far)\s+){{0,3}}"
# Words that do not stand in the name between a thing and what happened to it.
_NO_NAME = (
    "is|are|was|were|be|has|have|can|to|not|never|that|which|who|whose|you|of|a|an|because|exists?|becomes?|state"
)
_NAMED = rf"(?:[\s,(“\"'’]+(?!(?:{_NO_NAME})\b)[\w.’'-]+[”\")]*){{0,4}}?"
_BEGIN = r"^\W*(?:(?:and|but|so|then|as|well|also|now|or)\b\W*)*"
# After a participle that shortens a relative clause ("a run started by a schedule appears …") a verb follows.
_NO_VERB_FOLLOWS = r"""
    (?!.*\b(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|do|did|goes|appears?|stays?|shows?|keeps?|
    gets?|takes?|needs?|becomes?|comes?|belongs?|counts?|works?|ends?|begins?|remains?|stands?|contains?|holds?|means?|uses?)\b)
"""
_WENT_BY = r"(?!\s*(?:by|when|while|where|if|since|before|after|during|from|per|with)\b|\s*[-/:])"
_PLAINLY = rf"(?!(?:set|put|run|ran|reset|made|called|read)\b){_HAPPENED}\b"
_TO_SOMETHING = r"\s+(?:the|a|an|your|this|that|it|them|him|her|both|all|\d+)\b"

# Of a whole statement.
ANNOUNCED = (
    r"^\W*(?:all\s+)?(?:done|all\s+set|it\s*(?:'|’)?s\s+(?:all\s+)?done|consider\s+it\s+done|on\s+it|task\s+complete\w*|"
    r"success\w*|completed|finished|erledigt|c['’]est\s+fait|listo|hecho|fatto|feito|klaar)\b\s*(?:[.!,:;–—-]|$)",
    # "Created the contact": the person who did it is left out; an order has another form of the verb.
    rf"{_BEGIN}{_HOW}{_PLAINLY}{_TO_SOMETHING}",
)
# Of one clause.
REPORTED = (
    rf"(?:\b(?:has|have|had)|['’](?:s|ve))\s+{_HOW}been\s+{_HOW}{_HAPPENED}\b",
    rf"\b(?:is|are)\s+(?:now|already|currently)\s+{_HOW}(?:being\s+)?(?:{_HAPPENED}|{DOING}|ready|live|under\s+way|underway|"
    rf"in\s+progress)\b",
    rf"\b(?:the|your)\s+(?:new\s+)?{_THING}{_NAMED}\s+(?:is|are)\s+being\s+{_HOW}{_HAPPENED}\b",
    rf"\b(?:was|were)\s+(?:just\s+|now\s+)?successfully\s+{_HAPPENED}\b",
    rf"(?:(?<!whose\s)\b{_THING}{_NAMED}|{_BEGIN}(?:it|they|this|that|these|everything|all))\s+(?:was|were|got)\s+{_HOW}{_HAPPENED}\b",
    r"\byour\s+(?:\w+\s+){1,4}(?:is|are)\s+(?:ready|done|complete|on\s+(?:its|their)\s+way|underway|in\s+progress)\b",
    rf"\byour\s+(?:new\s+)?{_THING}{_NAMED}\s+(?:is|are)\s+{_HOW}{_HAPPENED}\W*$",
    rf"\b{_WORKER}{_NAMED}\s*(?:\s(?:has|have)|['’](?:s|ve))\s+{_HOW}{_HAPPENED}\b",
    rf"{_BEGIN}(?:(?:the|your|this|that|our)\s+(?:new\s+)?{_WORKER}|chat|agencycore)\s+{_HOW}{_PLAINLY}{_WENT_BY}{_NO_VERB_FOLLOWS}",
    # "Contact created": the verb that would say "was" is left out.
    rf"{_BEGIN}(?:(?:the|your|a|an|new|one|\d+)\s+){{0,2}}{_THING}{_NAMED}\s+{_HOW}{_PLAINLY}{_WENT_BY}{_NO_VERB_FOLLOWS}",
)
WORK_WORD = re.compile(rf"\b(?:{_HAPPENED}|{DOING})\b", re.IGNORECASE | re.VERBOSE)

# Words by which one and the same work may be told, by how they begin.
_ALIKE_TEXT = (
    "creat recreat add new made make build built generat draft prepar",
    "record regist log logged wrot writ note noting stor sav saving remember",
    "chang updat edit modif mov set assign mark transf rename convert link",
    "start launch kick initiat trigger execut run ran running begin begun began queue live progress restart",
    "stop cancel abort halt",
    "paus resum",
    "send sent email e-mail mail messag contact call notif invit reach forward post shar writ wrot repl",
    "delet remov archiv",
    "complet finish succe done end process fulfil perform carried",
    "schedul book plan reschedul",
    "promot convert",
    "import upload",
    "approv accept grant",
    "reject declin refus",
    "hand deleg escalat",
)
ALIKE = tuple(tuple(line.split()) for line in _ALIKE_TEXT)
