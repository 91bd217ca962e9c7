"""Accounts that are machines: they neither give awards nor win them, and none of their words is in a pair."""

from __future__ import annotations

# A list, not "ends in bot": people are called Talbot, and some call themselves robot.
BOTS = frozenset({
    "alternate-source-bot", "automoderator", "autotldr", "autowikibot", "b0trank", "bot4bot", "changemyview-modteam", "clickablelinkbot",
    "commonmisspellingbot", "converter-bot", "could-of-bot", "deltabot", "deltabot2", "gifv-bot", "goodbot_badbot", "haikubot-1911",
    "helperbot_", "imguralbumbot", "imgurtranscriber", "imagesofnetwork", "linkfixerbot", "magic_eye_bot", "metric_units",
    "remindmebot", "sneakpeekbot", "snapshillbot", "smile-bot", "stabbot", "subjunctive__bot", "thelinkfixerbot", "timezone_bot",
    "totesmessenger", "totes_meta_bot", "tweetposter", "tweet_poster", "tweetsincommentsbot", "video_descriptionbot", "wikitextbot",
    "wikipediasummary", "xkcd_transcriber", "youtubefactsbot",
})  # fmt: skip


def is_bot(author: str | None) -> bool:
    """The author is one of the known :data:`BOTS`; Reddit ignores the case of names."""
    return author is not None and author.lower() in BOTS
