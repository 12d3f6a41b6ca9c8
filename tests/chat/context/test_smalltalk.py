"""Which messages are nothing but a speech act or about the conversation itself."""

import pytest

from chat.context.smalltalk import classify_message

CLASSES = {
    "greeting": [
        "hello", "Hello!", "hi 👋", "Hey there", "Good morning team", "how are you?", "What's up",
        "Hi, how are you today?",
        "Hallo", "Guten Tag!", "Bonjour", "¡Hola!", "Ciao", "Hei", "Hej", "你好", "Привет!", "こんにちは", "नमस्ते",
        "hello hello", "Hello AgencyCore",
    ],
    "thanks": [
        "thanks", "Thank you very much!", "thx", "ok, thanks", "Great, thanks!", "Perfect", "got it", "no thanks",
        "Danke schön", "Merci beaucoup", "¡Muchas gracias!", "Takk", "thanks for your help", "That was very helpful",
        "thanks, bye",
    ],
    "farewell": ["bye", "Goodbye!", "see you tomorrow", "Have a nice weekend", "Auf Wiedersehen", "au revoir",
    "that's all for now"],
    "about_assistant": [
        "are you a bot?", "Hi, are you a bot?", "Are you a real person?", "who are you?", "what are you",
        "What is your name?",
        "Am I talking to a human?", "who made you?", "Is this a bot?", "Which model are you?", "bist du ein Mensch?",
        "are you human or a robot",
    ],
    "conversation": [
        "summarise this conversation", "Can you recap our chat so far?", "what did I just ask you?",
        "What was my first question?",
        "make it shorter", "Shorter please", "Say that shorter", "Say it a bit simpler", "explain that briefly",
        "rephrase that", "Translate that to German", "say that again",
        "Explain that in simpler terms", "in bullet points please", "what have we talked about so far",
        "Can you shorten that?",
        "say it in French", "Can you give me that in Danish?", "and in French", "in German please",
        "put it in plain English", "tl;dr", "What were we talking about?", "thanks, make it shorter",
    ],
    "ordinary": [
        "hello, what is lifecycle stage?", "Hi, who owns the Acme deal?", "thanks, what about deals?",
        "What can you do?",
        "What is AgencyCore?", "yes", "no", "ok", "yes, thanks", "yes please", "May", "the second one", "any more?",
        "summarise this company", "rewrite the outreach for Acme", "repeat that run", "translate our outreach", "",
        "👍", "What agents can I use?", "who are you going to call about this deal", "Why did you stop?",
        "Is this a customer?", "Are you able to send email?", "What is your refund policy?", "later this week",
        "Stop that", "How do I delete this conversation?", "good leads", "What did Acme say?", "hi-tech companies",
        "thanksgiving campaign", "goodbye letter for Acme", "Show me the last activity on this company.",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [(text, name) for name, texts in CLASSES.items() for text in texts])
def test_a_message_is_classified(text: str, expected: str) -> None:
    assert classify_message(text) == expected


@pytest.mark.parametrize("text", ["hello " * 1_300, "thank you so " * 600, "\u0301" * 8_000, "please " * 1_000 + "x"])
def test_a_long_message_is_ordinary(text: str) -> None:
    assert classify_message(text) == "ordinary"
