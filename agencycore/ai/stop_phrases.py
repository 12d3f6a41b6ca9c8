"""The words in which people ask for work to be stopped, and those that make something else of such a request."""

import re

# What stands for a quotation once it is taken out.
QUOTED = "quoted0quoted"

_VERBS = "stop|cancel|abort|halt|kill|terminate|quit|end|discontinue|call off|shut down"
_PARTICIPLES = "stopped|cancelled|canceled|aborted|halted|killed|terminated|ended|called off|shut down"
_GERUNDS = "stopping|cancelling|canceling|aborting|halting|killing|terminating|ending"
_DO_NOT_GO_ON = r"(?:don't|do not) (?:continue|go on|carry on|proceed|keep going|keep running)(?: with)?"
BARE_VERBS = frozenset({"stop", "cancel", "abort", "halt", "quit", "terminate", "don't continue", "do not continue"})
VERB = re.compile(rf"(?:{_VERBS}|{_DO_NOT_GO_ON})(?=$| )")
# "Would you mind stopping it?"
GERUND = re.compile(rf"(?:{_GERUNDS})(?=$| )")
REPEATED = re.compile(rf"\b({_VERBS})(?: \1)+\b")
# "Call it off", "shut the run down".
SPLIT_VERB = re.compile(r"^(call|shut) (.+?) (off|down)\b")

COURTESY = re.compile(
    r"^(?:(?:hi|hello|hey|oh|ah|ok|okay|alright|right|well|so|and|but|then|also|now|yes|yeah|yep|wait|hold on|"
    r"sorry|thanks|thank you|please|pls|plz|kindly|just|actually|enough|never ?mind|quickly|immediately|first|do|"
    r"go(?: ahead)? and)[\s,.!:]+)+"
)
_WISH = r"(?:i|we) (?:want|need|would like|wish|ask|beg)|(?:i|we)'d like"
POLITE_QUESTION = re.compile(
    r"(?:(?:would|do) you mind|would you be so kind(?: as)? to|(?:can|could|would|will) (?:you|u)|(?:can|could) we)\b"
)
OPENER = re.compile(
    rf"^(?:{POLITE_QUESTION.pattern}|(?:{_WISH})(?: you)? to|let(?:'s| us)|you (?:must|have to|need to)|"
    r"be so kind (?:as to|and)|(?:it|that) (?:would|'d) be (?:great|nice|good|lovely|kind) if you (?:could|would|can)|"
    r"it'd be (?:great|nice|good|lovely|kind) if you (?:could|would|can)|"
    r"(?:i|we)(?:'d| would) (?:appreciate it|be (?:grateful|glad|happy)) if you (?:could|would|can)|"
    r"i (?:just |already )?(?:said|told you(?: to)?|asked you to))(?: (?:please|kindly|just|now|also))*[\s,:]+"
)
# "You can stop it now, thanks": a permission is a request where it is given for now.
PERMISSION = re.compile(r"you (?:can|may)(?: (?:just|now|please|go ahead and))* ")
FOR_NOW = re.compile(r"\b(?:now|please|pls|thanks|thank you|already|after all)\b")
UNDERSTOOD = re.compile(r"(?:so|and|but|then|well|right|i see|ah|oh)\b")
# "Don't stop it", "let it run", "never mind": what is at work goes on.
BEFORE_DENIAL = re.compile(
    r"^(?:(?:ok|okay|no|nope|yes|yeah|please|hey|hi|hello|and|but|so|well|then|actually|oh|wait|thanks)\b[\s,.!]*)+(?=\S)"
)
DENIAL = re.compile(
    r"^(?:don't|dont|do not|never|no need to|you (?:don't|do not) (?:need|have) to)(?= )\s+(?:please )?"
)
_IT = (
    r"(?:it|that|this|them|these|those|both|everything|the other(?: one)?|"
    r"(?:the|that|this|my|our|both)(?: [\w-]+){1,3})"
)
KEPT = re.compile(
    rf"(?:let {_IT} (?:run|go on|continue|finish|be)|(?:keep|leave) {_IT}(?: (?:running|going|on|alone|as it is))|"
    r"keep (?:going|running))(?:,? (?:for now|please|then|thanks))*"
)
DROPPED = re.compile(
    r"(?:never ?mind(?: that| it)?|nvm|forget (?:it|that|about (?:it|that))|no matter|(?:it|that) (?:doesn't|does not) "
    r"matter|leave it|skip it)(?:[\s,]+(?:then|thanks|thank you|for now|please|after all))*"
)
# "I want that run stopped", "get it cancelled", "make it stop".
STATE_WANTED = re.compile(
    rf"(?:get|have|make|{_WISH}|(?:can|could|would|will) you (?:please )?(?:get|have|make)) (?P<object>.+?) "
    rf"(?:to be |to )?(?:{_PARTICIPLES}|stop|end)"
)
IF_YOU_PLEASE = re.compile(
    r"[\s,]*\bif (?:you (?:can|could|please|would|don't mind|do not mind|would be so kind)|possible|that's ok(?:ay)?)"
    r"[\s.!?]*$"
)
TRAILING = re.compile(
    r"(?:^|[\s,]+)(?:please|pls|plz|now|right now|right away|straight away|immediately|at once|asap|instantly|already|"
    r"then|for me|for us|thanks|thank you|completely|entirely|altogether|ok|okay|too|again|instead|anyway|for good)$"
)
REASON = re.compile(r" (?:and|because|since it|as it|so that|so i|so we|it's|it is|that's)\b.*$")

_PRONOUNS = """
it|that|this|that one|this one|them|these|those|everything|all|it all|all of it|all of them|all of these|all of those|
both|both of them|the thing|that thing|this thing|working|working on it|working on that|doing that|doing it|doing this|
running it
"""
PRONOUNS = frozenset(_PRONOUNS.replace("\n", "").split("|"))
_NOUNS = "runs?|running|search(?:es)?|jobs?|workflows?|agents?|tasks?|executions?"
# With more words beside them these may be something of the business: "the request of Acme".
_LOOSE_NOUNS = "work|request|process|report|research"
# Without an article "stop request" and "stop work" may be names of things.
BARE_NOUN = re.compile("run|search|job|workflow|agent|task")
_DETERMINERS = (
    "all (?:of )?(?:the|my|our|your|these|those)|both(?: of)?(?: the| my| our)?|all|every|each|the other|the|that|this|"
    "these|those|my|our|your"
)
_NOT_BEFORE_NOUN = r"(?!(?:that|which|who|of|from|for|in|on|and|or|the|an?|any|to|with|about|is|are|was)\b)"
_ORDINALS = r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|latest|newest|\d+(?:st|nd|rd|th)"
_AFTER_NOUN = (
    r"(?:of|for|about|on|in|with|called|named|that|which|you|i|we|number|id|here|there|above|"
    rf"{QUOTED}|[#\d]\S*|[0-9a-f]{{8}}-\S+)(?:\b.*)?"
)
OBJECT = re.compile(
    rf"(?:the|that|this|my|our|your) (?:{_LOOSE_NOUNS})|"
    rf"(?:the |that )?(?:{_ORDINALS})(?: (?:one|{_NOUNS}))?|(?:number|option|no|run|#) ?\d+|{QUOTED}|"
    rf"(?:what|whatever) (?:you are|you're|it is|it's|is) (?:doing|running)|"
    rf"(?P<determiner>(?:{_DETERMINERS}) )?(?P<before>(?:{_NOT_BEFORE_NOUN}[\w'-]+ ){{0,5}}?)"
    rf"(?P<noun>{_NOUNS}|one)(?: {_AFTER_NOUN})?"
)
_SMALL = "the that this these those my our your of for about on in with and to"
SMALL_WORDS = frozenset(_SMALL.split())
_GENERAL = "run running search job workflow agent task process execution request work report"
GENERAL_WORDS = frozenset(_GENERAL.split())

# On a condition, for later, or for a choice: what is asked is not to be done now.
CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|once|until|till|after|before|as soon as|as long as|in case|provided|assuming|"
    r"suppose|supposing|should it|should that|should the|were it|or else|otherwise|except|later|tomorrow|tonight|"
    r"next (?:time|week|month|\w+day)|on \w+day|in the (?:morning|afternoon|evening|future|end)|"
    r"in .{0,15}\b(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|while)|at \d|at (?:noon|midnight|the end)|"
    r"maybe|perhaps|possibly|hypothetically|for example|for instance|e\.g)(?:\b|(?<=\d))"
)
REPORTED = re.compile(
    r"\b(?:say|says|said|saying|told|tells|tell (?:him|her|them)|wrote|writes|written|states|stated|reads|asked|asks|"
    r"shouts?|shouted|suggests?|suggested|recommends?|according to|quote|quotes|types|typed|translate|mean|means|"
    r"meaning|spell|the (?:words?|phrase|sentence|command|text|button|message)|example)\b"
)
SAID_BY_ME = re.compile(r"\b(?:i|we) (?:just |already )?(?:said|told|asked|mean)\b")
RETRACTION = re.compile(
    r"\b(?:(?:don't|do not)(?! (?:continue|go on|carry on|proceed|need|want it|want this|want that|keep)\b)|no wait|"
    r"not yet|scratch that|kidding|joking|or not|or should|just testing|"
    r"(?:just|only) (?:asking|wondering|curious)|(?:want|like) to know|on second thoughts?|rather not)\b"
)
DENIED_STOP = re.compile(
    r"\b(?:don't|dont|do not|doesn't|does not|didn't|did not|never(?! ?mind)|not|cannot|can't|won't|wouldn't|shouldn't|"
    r"mustn't|no need|no reason|nobody|no one|without|rather than|instead of|refuse|avoid|against)\b"
    rf"(?:(?! (?:need|want) (?:it|this|that|the)\b)[^.!?\n,;]){{0,60}}\b(?:{_VERBS}|{_GERUNDS}|{_PARTICIPLES})\b"
)
DENIES = re.compile(
    r"(?:n't|\b(?:dont|not|never|cannot|nobody|no one|neither|nor|without|rather than|instead of|"
    r"wait for|let (?:it|that|the)|first))\b"
)
# What comes after something else is not for now.
THEN = re.compile(r"(?:and )?(?:then|afterwards|finally)\b")
GOES_ON = re.compile(r"(?:is|was|are|were|does|or)\b")
NOT_NEEDED = re.compile(
    r"(?:\w+ )?(?:i|we) (?:don't|do not|no longer) (?:need|want) (?:it|this|that|them|(?:the|that|this) \w+)"
    r"(?: any ?more| any longer| now)?|"
    r"(?:it|this|that)(?:'s| is) (?:not|no longer) (?:needed|what i (?:want|wanted|meant|need)|right|the right \w+)"
)
HESITATION = re.compile(
    r"(?:ok|okay|no|nope|yes|yeah|wait|hold on|hey|hi|hello|oh|sorry|please|thanks|thank you|right|alright|actually|"
    r"well|now|enough(?: of (?:that|this|it))?|never ?mind|stop|that's enough|that is enough)"
)
QUESTION = re.compile(
    r"(?:and |but |so |ok |okay |please |hi |hey |hello )*(?:what|who|whose|whom|which|when|where|why|how|is|are|was|"
    r"were|do (?:you|i|we|they)|does|did|has|have|had|should|shall|may|might|must|can i|could i|"
    r"tell me|explain|describe)\b"
)

WHICH_TO_STOP = re.compile(
    r"\b(?:which|what)\b.*\b(?:should|shall|can|do you want|would you like|to)\b.*"
    r"\b(?:stop(?:ped)?|cancel(?:l?ed)?|abort(?:ed)?|halt(?:ed)?|kill(?:ed)?|terminated?|end(?:ed)?)\b",
    re.IGNORECASE,
)
REFUSES = re.compile(
    r"n't\b|\b(?:no|nope|not|none|nothing|neither|never|never ?mind|dont|cannot|keep|leave|forget (?:it|about)|wait)\b"
)

FOREIGN_OPENINGS = frozenset(["bitte", "ok", "okay", "por", "favor", "please", "jetzt"])
_FOREIGN_VERBS = """
stopp stoppe stoppen abbrechen brich beende beenden anhalten halte halt stoppa avbryt avbryter stop annuleer arrête
arrêtez arrete annule annulez interromps detén deten detenga detente cancela cancele ferma fermare interrompi annulla
pare interrompa zatrzymaj przerwij anuluj останови остановите прекрати прекратите отмени отмените
"""
FOREIGN_VERBS = frozenset(_FOREIGN_VERBS.split())
_FOREIGN_OBJECTS = """
das es dies den die diesen diese lauf suche vorgang ab an bitte jetzt sofort ça ca cela le la la cette recherche
exécution tout maintenant s il te vous plaît eso esto lo la búsqueda ejecución por favor ahora quello questo ricerca
la esecuzione per favore isso isto a busca execução agora dat dit het de zoekopdracht nu alsjeblieft det den denne
sökningen søket nå nu to tę proszę teraz это его поиск запуск пожалуйста сейчас
"""
FOREIGN_OBJECTS = frozenset(_FOREIGN_OBJECTS.split())
FOREIGN_REQUEST = re.compile(
    r"(?:请|請)?(?:(?:それ|これ|あれ)を)?(?:止めて|停止して|中止して|取り消して|停止|中止|取消)(?:ください|它|那个|这个|吧)?"
    r"[。！!]*|(?:그거|그것|이거)?\s*(?:중지|취소)(?:해|해줘|해 줘|해주세요|하세요)?[.!]*"
)
