"""Code's own class of a message: is it a speech act, about the conversation, or an ordinary message?

Only messages that are nothing else count: "hello, what is lifecycle stage?" is ordinary.
"""

import re
import unicodedata

from agencycore.ai.types import MessageClass
from agencycore.chat_words import OTHER_LANGUAGES

_GREETINGS = (
    "hello|hi|hiya|hey|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning|hello again|hi again|"
    "how are you(?: doing)?(?: today)?|how is it going|how s it going|what s up|nice to meet you|"
    "hallo|guten (?:morgen|tag|abend)|moin|servus|grüezi|grüß gott|bonjour|bonsoir|salut|coucou|hola|buenas|"
    "buenos d[ií]as|buenas (?:tardes|noches)|ciao|salve|buongiorno|buonasera|ol[aá]|bom dia|boa (?:tarde|noite)|"
    "hei|hej|hejsan|heisann|god (?:morgen|dag|kveld)|goedemorgen|goedemiddag|goedenavond|hoi|"
    "cześć|dzień dobry|merhaba|selam|привет|здравствуйте|добрый день|你好|您好|こんにちは|안녕하세요|مرحبا|नमस्ते"
)
_THANKS = (
    "(?:thanks|thank you|thx)(?:(?: so| very)? much| a lot| a million| again| a bunch| for (?:the|your) help|"
    " for that)?|"
    "thank u|ty|tysm|cheers|much appreciated|appreciate it|i appreciate it|"
    "many thanks|no(?:pe)? (?:thanks|thank you)|great|perfect|awesome|excellent|wonderful|got it|understood|"
    "makes sense|"
    "that s (?:great|perfect|helpful|all i needed)|that (?:is|was) (?:great|perfect|very helpful|helpful)|"
    "danke(?: schön| sehr| dir| ihnen)?|vielen dank|merci(?: beaucoup| bien)?|(?:muchas )?gracias|"
    "(?:mille )?grazie|(?:muito )?obrigad[oa]|takk(?: skal du ha)?|(?:tusen )?takk|tack(?: så mycket)?|tak|"
    "(?:dank je|dank u)(?: wel)?|bedankt|kiitos|dziękuję|dzięki|teşekkürler|teşekkür ederim|спасибо|谢谢|谢谢你|"
    "ありがとう|ありがとうございます|감사합니다|شكرا"
)
_FAREWELLS = (
    "bye(?: bye)?|goodbye|good bye|good night|see you(?: later| soon| tomorrow)?|see ya|later|take care|"
    "have a (?:nice|good|great) (?:day|evening|weekend|one)|talk (?:to you )?(?:later|soon)|"
    "that s all(?: for (?:now|today))?|"
    "auf wiedersehen|tschüss|bis (?:bald|morgen|später)|au revoir|à bientôt|adi[oó]s|hasta (?:luego|mañana|pronto)|"
    "arrivederci|tchau|até logo|ha det(?: bra)?|hej då|farvel|doei|tot ziens|до свидания|пока|再见|さようなら"
)
# Words that may stand beside a speech act without making it anything else.
_FILLERS = (
    "there|all|everyone|everybody|team|folks|friend|agencycore|assistant|bot|chat|please|so|well|ok|okay|oh|ah|and|"
    "again|you too|nice|cool|super|lovely|good|"
    "very much|so much|a lot|for now|then|today|now"
)
_ABOUT_ASSISTANT = (
    "(?:so )?(?:are|r) (?:you|u) (?:really |actually |just )?(?:a |an )?(?:real |live )?"
    "(?:bot|robot|human|person|machine|ai|computer|program|chatbot|language model|llm|chat ?gpt|gpt|"
    "human being|artificial intelligence|real)(?: or (?:a |an )?(?:bot|robot|human|person|machine|ai|real person))?|"
    "help|help me|i need help|"
    "who are you|what are you|what exactly are you|who am i (?:talking|speaking|chatting|writing) (?:to|with)|"
    "am i (?:talking|speaking|chatting) (?:to|with) (?:a |an )?(?:real |live )?(?:bot|robot|human|person|machine|ai)|"
    "is (?:this|there) (?:a |an )?(?:real |live )?(?:bot|robot|human|person|machine|ai)(?: there)?|"
    "what(?: is| s) your name|do you have a name|who (?:made|built|created|trained|programmed) you|"
    "(?:what|which) (?:model|llm|ai|language model) (?:are you|do you use|is this)|do you have feelings|"
    "are you (?:there|alive|conscious|sentient|online)|how old are you|where are you from|"
    "bist du ein (?:bot|mensch|roboter)|wer bist du|qui es tu|es tu un (?:robot|bot|humain)|quién eres|"
    "eres un (?:bot|robot)|"
    "chi sei|quem é você|hvem er du|er du en (?:bot|robot)|vem är du"
)
_LANGUAGES = f"english|{OTHER_LANGUAGES}"
_REWORK = (
    "(?:can you |could you |please |now |would you )*"
    "(?:(?:make|keep) (?:it|that|this)(?: a (?:bit|little)| much)? (?:shorter|longer|simpler|clearer|briefer|"
    "short|brief|"
    "more (?:formal|casual|concise|detailed|friendly))|"
    "(?:say|put|explain|write|phrase|repeat|give me) (?:it|that|this|your (?:last )?(?:answer|reply))(?: again)?"
    f"(?: (?:in (?:{_LANGUAGES})|"
    "differently|another way|in other words|more simply|simply|in simpler (?:words|terms)|in plain english|"
    "(?:a (?:bit|little) )?(?:shorter|simpler|clearer)|(?:more )?(?:briefly|clearly)|in short|"
    "in one sentence|in (?:a few|two|three) sentences))?|"
    "(?:rephrase|reword|rewrite|repeat|simplify|shorten|condense|summari[sz]e|translate|reformat)"
    "(?: (?:it|that|this|your (?:last )?(?:answer|reply|response|message)|the (?:last )?(?:answer|reply|response|"
    "message)))?"
    "(?: (?:please|again|briefly|in|into|to|as|for) .{1,60})?|"
    "(?:give me (?:that|it|this) |show (?:that|it|this) |format (?:that|it|this) )?(?:as|in) "
    "(?:a )?(?:bullet points?|bullets|list|table|bulleted list|numbered list|one sentence|short)|"
    "shorter|longer|simpler|more briefly|in short|tl ?dr|(?:and |now |the same )*in "
    f"(?:{_LANGUAGES})|pardon|come again|say that again)(?: please)?"
)
_THIS_CONVERSATION = r"(?:our|this|the) (?:conversation|chat|discussion|thread)(?: so far| up to now| until now)?"
_ABOUT_CONVERSATION = (
    "(?:please |can you |could you )*(?:"
    rf"(?:summari[sz]e|recap|sum up|review|give me a (?:summary|recap) of|"
    rf"what is the summary of) {_THIS_CONVERSATION}(?: please)?|"
    "(?:summari[sz]e|recap|sum up) (?:everything|all of it|what we (?:ve )?(?:discussed|said|talked about|"
    "covered)(?: so far)?)|"
    "what (?:did|have) (?:i|we|you) (?:just |already |previously )?(?:ask|asked|say|said|talk(?:ed)? about|"
    "discuss(?:ed)?|cover(?:ed)?)"
    "(?: you| me| so far| before| earlier| about| first| at the (?:start|beginning)| in this (?:chat|"
    "conversation)| just now)*|"
    "what (?:was|were|is) my (?:first|last|previous|original|earlier|second) (?:questions?|messages?)|"
    "what (?:was|is) your (?:last|previous|first) (?:answer|reply|message)|"
    "what were we (?:just )?(?:talking|speaking|discussing)(?: about)?|where were we|"
    "what have i asked(?: you)?(?: so far)?|"
    "why did you (?:say|write|answer|think|ask|tell me) (?:that|this|so)|what makes you (?:say|think) (?:that|so)|"
    "how do you know(?: that| this)?|where (?:did|do) you (?:get|have|take) (?:that|this|it) from|"
    "where does (?:that|this) come from|(?:what is|what s|what are) your sources?(?: for (?:that|this))?|"
    "are you (?:sure|certain)(?: about (?:that|this))?|what is (?:that|this) based on|"
    "(?:how many|which) (?:questions|messages) have i (?:asked|sent)(?: you)?(?: so far)?|"
    "do you remember (?:what i (?:asked|said)|my (?:first|last|previous) (?:question|message))(?: before| earlier)?)"
)

_SPEECH_ACTS: tuple[tuple[MessageClass, re.Pattern[str]], ...] = (
    ("thanks", re.compile(rf"(?:{_THANKS})(?!\S)")),
    ("farewell", re.compile(rf"(?:{_FAREWELLS})(?!\S)")),
    ("greeting", re.compile(rf"(?:{_GREETINGS})(?!\S)")),
)
_HOW_IT_GOES = re.compile(r"\bhow (?:is|s) it going\b")
_FILLER = re.compile(rf"(?:{_FILLERS})(?!\S)")
_WHOLE: tuple[tuple[MessageClass, re.Pattern[str]], ...] = (
    ("about_assistant", re.compile(_ABOUT_ASSISTANT)),
    ("conversation", re.compile(_ABOUT_CONVERSATION)),
    ("conversation", re.compile(_REWORK)),
)
_ASSENTS = re.compile(
    r"(?:(?:yes|yeah|yep|yup|no|nope|sure|right|exactly|correct|do it|do that|do so|do|go ahead|sounds good|fine|"
    r"alright|all right|of course|i see|hm+|aha|ah|oh|ok|okay|please|thanks|thank you) ?)+"
)
# Letters, digits and the marks that belong to letters.
_WORD_CATEGORIES = frozenset("LNM")
# A longer message is never only a speech act; this also bounds the matching.
LONGEST_SPEECH_ACT = 200


def classify_message(text: str) -> MessageClass:
    """The class of ``text``; punctuation, case and emoji do not matter."""
    words = plain_words(text)
    if len(words) > LONGEST_SPEECH_ACT:
        return "ordinary"
    acts, rest = _take_speech_acts(words)
    if not rest:
        return next((act for act, _ in _SPEECH_ACTS if act in acts), "ordinary")
    for candidate in (words, rest):
        for message_class, pattern in _WHOLE:
            if pattern.fullmatch(candidate):
                return message_class
    return "ordinary"


def asks_how_it_goes(text: str) -> bool:
    """ "How is it going?": a greeting, or a question about work that is going on."""
    return _HOW_IT_GOES.search(plain_words(text)) is not None


def asks_something(text: str) -> bool:
    """Whether ``text`` is more than a courtesy, an assent or a word about the conversation."""
    words = plain_words(text)
    if len(words) > LONGEST_SPEECH_ACT:
        return True
    is_courtesy = classify_message(text) != "ordinary" or not _take_speech_acts(words)[1]
    return not is_courtesy and _ASSENTS.fullmatch(words) is None


def plain_words(text: str) -> str:
    """``text`` in lower case, words parted by single spaces, nothing else left."""
    letters = (c if unicodedata.category(c)[0] in _WORD_CATEGORIES else " " for c in text.lower())
    return " ".join("".join(letters).split())


def _take_speech_acts(words: str) -> tuple[set[MessageClass], str]:
    """The speech acts ``words`` opens with, and what follows them."""
    acts: set[MessageClass] = set()
    rest = words
    while rest:
        found = _longest_match(rest)
        if found is None:
            break
        act, end = found
        if act != "ordinary":
            acts.add(act)
        rest = rest[end:].lstrip()
    return acts, rest


def _longest_match(words: str) -> tuple[MessageClass, int] | None:
    matches: list[tuple[int, MessageClass]] = [
        (match.end(), act) for act, pattern in _SPEECH_ACTS if (match := pattern.match(words))
    ]
    if filler := _FILLER.match(words):
        matches.append((filler.end(), "ordinary"))
    if not matches:
        return None
    end, act = max(matches, key=lambda match: match[0])
    return act, end
