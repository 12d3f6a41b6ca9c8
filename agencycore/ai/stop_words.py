"""English words that carry no topic of their own: what is asked is asked in the others."""

from agencycore.chat_words import CHAT_WORDS

_STOP_WORDS = """
a an the this that these those there here it its it's he she they them their theirs his her hers him we us our ours
you your yours i me my mine who whom whose what which when where why how is are was were be been being am do does did
done doing have has had having will would shall should can could may might must and or but nor so if then than as at by
for from in into of off on onto out over to up with within without about above after again against all also any because
before below between both down during each else ever every few further just let's more most much many no not now only
other own same some such too under until very via while per please tell show give explain describe define say mean means
meaning get got make want need know like thing things one ones anything something really still currently exactly
actually don't doesn't didn't isn't aren't wasn't can't won't i'm i'd i've you're we're they're that's what's who's
there's thank yes
"""
STOP_WORDS = frozenset(_STOP_WORDS.split()) | CHAT_WORDS
