"""How people write in chats. No document has to know these words, and no question is about them."""

_TEXT = """
btw cant couldnt didnt doesnt dont fyi hasnt havent hello heres hey hi hows idk im isnt ive lol ok okay pls please plz
r sry thanks thats theres thx ty u ur wanna wasnt wat werent whats whens wheres whos wondering wont wot wouldnt ya yo
"""
CHAT_WORDS = frozenset(_TEXT.split())

# Languages that a person may want a reply in, as a pattern; replies are in English.
OTHER_LANGUAGES = (
    "german|french|spanish|italian|norwegian|swedish|danish|finnish|dutch|portuguese|polish|czech|greek|turkish|russian|"
    "ukrainian|hungarian|romanian|chinese|mandarin|japanese|korean|arabic|hebrew|hindi"
)
