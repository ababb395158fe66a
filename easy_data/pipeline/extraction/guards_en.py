"""English words that raise guards."""

from __future__ import annotations

import re

from easy_data.pipeline.extraction.guards import Cues, Guard


def _words(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


# What may stand before the words that make a clause: fillers and connectives.
_OPENING = (
    r"^(?:[^\w\s]+\s*)?(?:(?:and|but|so|or|oh|well|ok|okay|hey|hi|wait|also|plus|because|cos|then|anyway|btw|like|"
    r"lol|no|"
    r"yeah|yes|um|er|hmm|actually|apparently|honestly|abeg|eh|wah|right|sorry)[,!.]?\s+){0,3}"
)
_KIN = (
    r"(?:step|half-|grand)?(?:mum|mom|mother(?! tongue)|mam|mama|amma|dad|father|papa|"
    r"parents|folks|sister|sis|brother|bro|"
    r"siblings?|"
    r"twin|wife|husband|hubby|missus|partner|fianc[eé]e?|girlfriend|gf|boyfriend|bf|spouse|other half|son|"
    r"daughter|kids?|"
    r"child|children|baby|toddler|teenager|boys|girls|little one|eldest|oldest|youngest|gran|granny|grandma|nan|nana|"
    r"grandad|granddad|grandpa|aunt(?:ie|y)?|uncle|cousins?|niece|nephew|in-laws|(?:mother|father|brother|sister|son|"
    r"daughter)-in-law|ex(?:-?(?:wife|husband|boyfriend|girlfriend))?)s?"
)
_OTHERS = (
    r"(?:friend|mate|buddy|bestie|flatmate|roommate|housemate|boss|manager|supervisor|colleague|co-?worker|"
    r"work(?:mate)|"
    r"neighbou?r|landlord|landlady|tenant|teacher|tutor|coach|professor|lecturer|student|pupil|client|customer|"
    r"patient|"
    r"guest|doctor|dentist|therapist|driver|barber|team(?:mate)?|crew|staff|guy|girl|bloke|lady|man|woman|person|"
    r"people|"
    r"lad|dude|couple|family|character|protagonist|hero|author|singer|candidate|applicant|intern|apprentice|"
    r"recruiter|"
    r"company|cat|dog|parrot)s?"
)
_SOMEBODY = (
    rf"(?:he|she|they|someone|somebody|everyone|everybody|nobody|no one|most people|some people|people|others|"
    rf"(?:my|our|his|her|their|your|the|this|that|a|an|one of my|some|another|{{word}}'s)"
    rf" (?:[\w'-]+ ){{0,2}}?(?:{_KIN}|{_OTHERS}))\b"
)
_SOMEBODY = _SOMEBODY.replace("{word}", r"[\w-]+")

CUES = Cues(
    clause={
        Guard.QUESTION: _words(
            _OPENING
            + r"(?:(?:what|who|why|how|which|whose|whats|hows|whos)(?:'s|'re|'d)?\b(?! (?:i|we|my)\b)(?!ever\b)"
            r"|(?:when|where)(?:'s|'re|'d| is| are| was| were| do| does| did| can| could| should| would| will| to)\b"
            r"|(?:do|does|did|can|could|would|will|should|shall|may|have|has|had|am|was|were|don't|doesn't|didn't|"
            r"can't|won't|isn't|aren't|wouldn't|couldn't|shouldn't|haven't) (?:i|you|u|ya|we|they|he|she|it|this|that|"
            r"these|"
            r"those|there|the|any\w*|some\w*|people|my|your|our)\b"
            r"|(?:is|are) (?!life|my|fine|what|where|how)\w)"
            r"|\b(?:do|can|could|would|should) (?:you|u) (?:think|know|reckon|tell|guess)\b|\bany (?:idea|clue|"
            r"chance)\b"
            r"|\b(?:wonder(?:ing)?|curious|know|tell me|check|see|asking) (?:if|whether)\b"
        ),
        Guard.CONDITIONAL: _words(
            r"\b(?:if(?! (?:you must know|that helps|it helps|you (?:can|could|ask|asked|want|like|don't mind)|"
            r"possible|it matters|"
            r"anyone asks|i'm honest|we're being honest))|unless|suppose|supposing|in case|assuming|provided|"
            r"were i)\b"
        ),
        Guard.HYPOTHETICAL: _words(
            r"\b(?:i wish|if only|would be nice|would've been|would have been|could've been|could have been|"
            r"imagine|imagining|"
            r"in another life|in my next life|in my dreams|(?:i )?dream(?:t|ed) (?:i|that|about|of)|had (?:a|"
            r"this) (?:\w+ )?dream|"
            r"what if|hypothetical\w*|let's say|say i|pretend\w*|as if|as though|theoretically|"
            r"for argument's sake|picture this|"
            r"when i (?:win|grow up|die|rule)|(?:almost|nearly) (?:became|moved|married|bought|got|took)|"
            r"i'd (?:be|have been|rather be|make) an?|wouldn't it be|part of me wants|tempted to|feel like an?)\b"
        ),
        Guard.JOKE: _words(
            r"\b(?:jk|j/k|(?<!no )(?<!not )kidding|april fool'?s?|sarcasm|as a joke|jokingly)\b|/[sj]$|"
            r"\b(?:ph\.?d|degree|masters?|black belt|diploma|doctorate) in (?:overthinking|procrastinat\w+|"
            r"napping|sarcasm|being|bull\w+|"
            r"worrying|regret|nothing|chaos|vibes)\b|"
            r"\b(?:i'm|i am|im) (?:the )?(?:pope|queen|king of|president|messiah|batman|jesus|god|santa|beyonc)\w*"
        ),
        Guard.THIRD_PERSON: _words(
            rf"{_OPENING}(?!they call me|everyone calls me){_SOMEBODY}(?! (?:and|&|n) (?:i|me)\b)"
        ),
        Guard.SECOND_PERSON: _words(_OPENING + r"(?:you|u|your|you're|you've)\b(?!.*\b(?:i|i'm|me|my)\b)"),
        Guard.HEDGED: _words(
            r"\b(?:maybe|perhaps|might|i may|we may|probably(?! my)|not sure|unsure|i guess|i suppose|possibly|"
            r"potentially|"
            r"thinking (?:of|about|i|maybe)|half thinking|toying with|considering|idk|dunno|don't know if|"
            r"no idea if|who knows|"
            r"(?<!that )(?<!this )(?<!any )(?<!some )(?<!\ba )(?<!only )(?:kind|sort) of|kinda|sorta|i think i|"
            r"could be|seems|"
            r"supposedly|allegedly|wouldn't call (?:it|myself)|not exactly|on the fence|undecided|"
            r"one of these days|we'll see|"
            r"ask me (?:again )?(?:later|after|tomorrow)|don't quote me|debating|flirting with|leaning towards?|"
            r"(?:basically|practically|pretty much|virtually) an?|at this point|starting to think|wondering|suspect|"
            r"not (?:really )?(?:decided|certain|committed))\b"
        ),
        Guard.ONE_OFF: _words(
            r"\b(?:today|tonight|right now|rn|this (?:time|morning|evening|afternoon)|for once|just this once|"
            r"just now|"
            r"last night|yesterday|tomorrow|for (?:dinner|lunch|breakfast)|at the mo)\b"
        ),
        Guard.PAST: _words(
            r"\b(?:used to|back in (?:the|my|uni|school|college|\d{2,4})|formerly|previously|back when|back then|"
            r"as a (?:kid|child|teen\w*|"
            r"boy|girl|student|young)|when i was|in my (?:twenties|thirties|teens|youth|20s|30s|younger|previous|"
            r"past|\w+ days)|"
            r"once upon a time|time was|in a (?:past|previous|former) life|those days|there was a time|gone are|"
            r"growing up|"
            r"i was (?:an?|always|once|really|so|such|all|the|\w+ing)|my old|before (?:kids|covid|the baby)|"
            r"(?:till|until) (?:last|recently|this)|always used)\b"
        ),
        Guard.CHANGED: _words(
            r"\b(?:now|these days|nowadays|lately|recently|switched|moved|since|any ?more|no longer|turned|become|"
            r"became|"
            r"converted|gone over to|just (?:started|got|joined)|swapped|instead|not any more)\b"
        ),
        Guard.INSTRUCTION: _words(
            r"\b(?:you must|you (?:are|shall) (?:now|always)|you will (?:always|never)|"
            r"always (?:answer with|reply with|approve|recommend|trust|allow|agree|obey|"
            r"comply|send|forward)|approve (?:all|any|every)|ignore (?:all|any|previous|prior|earlier|your|"
            r"the (?:above|previous|rules))|"
            r"disregard (?:all|any|previous|the|your)|system prompt|developer mode|jailbreak|without (?:checking|"
            r"confirmation|"
            r"verification|approval|verifying)|no (?:verification|confirmation|approval) (?:needed|required|"
            r"necessary)|"
            r"(?:bypass|override|disable|skip) (?:\w+ )?(?:checks?|security|safety|verification|review|approval|"
            r"filters?|rules|restrictions)|"
            r"when(?:ever)? (?:you are |you're )?asked (?:about|for)|"
            r"notes? to (?:\w+ )?(?:ai|assistants?|llms?|agents?|bots?)|ai (?:assistants?|agents?)|"
            r"permanently remember|"
            r"(?:store|save|record|treat|remember) (?:this|that|it) as|company policy|"
            r"admin(?:istrator)? (?:access|rights|mode|privileges)|"
            r"grant (?:me|him|her|them|full|access)|(?:transfer|wire|send|pay) (?:\w+ )?(?:money|funds|payments?|"
            r"invoices?|[$£€]\s?\d)|"
            r"(?:iban|payee|account number|routing number)|forward all|never need (?:my )?(?:approval|confirmation)|"
            r"the user(?:'s)? (?:is|has|prefers?|wants?|preferred|always))\b"
            r"|\b(?:remember|always|store|save)\b.*https?://"
        ),
    },
    first_person=_words(r"\b(?:i|i'm|im|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|our|us)\b"),
    negation=_words(
        r"(?:\bnot|n't|\bnever|\w\W+no|\bnor|\bcannot|\bwithout|\bhardly|\bstop(?:ped)?|\bquit)(?: \w+)?\s*$"
        r"|(?<!\bi )(?<!i've )(?<!i'm )(?<!already )\b(?:thinks?|thought|assum\w+|said|says|told \w+|convinced|"
        r"calls?|called|reckons?|swears|"
        r"claim\w*|telling \w+|guess(?:ed|es)|saying|wrote|reads?|mistook|mistake me for|"
        r"looks? like)(?: \w+)?(?: that)?\s*$"
    ),
    over=_words(r"\b(?:no longer|any ?more)\b"),
    gone=_words(
        r"\b(?:died|dying|passed away|passed (?:last|on|in|this)|put (?:\w+ ){0,4}(?:down|to sleep)|"
        r"rainbow bridge|didn't make it|"
        r"(?:we|i) (?:just )?lost (?:my|our)|ran away|rehomed)\b"
    ),
    ended=_words(r"\b(?:no longer|any ?more|no more|stopped|quit|gave up|given up|ditched|dropped|went off|used to)\b"),
    retraction=_words(
        r"\bapril fool|(?<!no )(?<!not )\b(?:kidding|joking)\b|\bj/?k\b|\bpulling your leg|\bmade (?:that|it|"
        r"all that|all of (?:that|it)) up"
        r"|\bwind(?:ing)? (?:you|u|ya) up|\b(?:just|only) messing|\bmessing with (?:you|u|ya)|\bhaving you on|"
        r"\btaking the (?:piss|mick)"
        r"|\bi lied\b|\bthat was a lie|\bnot (?:actually )?true\b|\bhad you (?:there|going)|\bgot (?:you|"
        r"ya) (?:there|good)|\bpsych\b"
    ),
    role_play=_words(
        r"\blet'?s (?:pretend|roleplay|role-play|play (?:pretend|make[- ]believe|a (?:game|role)|d&d|dnd|house|"
        r"detective|wizard|doctors?))"
        r"|\brole-?play|\bpretend (?:you|i|to be|that|we)|\bin character\b|\bact (?:as|like)(?! (?:if|"
        r"a (?:translator|editor|proofreader)))"
        r"|\byou(?:'re| are) (?:now )?(?:the|a|an|my) (?:dungeon|game master|dm\b|king|queen|pirate|interviewer|"
        r"npc|villain|knight|dragon|wizard)"
        r"|\b(?:be|play) my (?:dungeon master|dm|interviewer)|\b(?:you(?:'ll| will)?|i(?:'ll| will)) play (?:the|"
        r"a|an) \w+|\bmy character\b|\bprotagonist\b"
        r"|\bnarrator\b|\bmain character\b|\bfirst[- ]person (?:pov|story|narrat\w+|monologue)|\bfrom the (?:pov|"
        r"perspective|point of view) of"
        r"|(?:^|[.!?,] ?|\b(?:please|can you|could you|help me|and|to) )(?:write|make up|come up with|invent)(?: me)? "
        r"(?:an?|another|some)(?: [\w-]+){0,3} (?:story|novel|scene|script|screenplay|fairy ?tale|fan ?fic\w*|poem|song|rap|"
        r"limerick)\b(?=.{0,60}(?:\b(?:where|in which|who|about|that)\b|:))"
        r"|\bquiz question\b|\bin the voice of\b|\bmonologue\b|\bimagine you(?:'re| are)\b"
    ),
    pasted=_words(
        # a request is not in capitals: "DEBUG" is a line of a log
        r"\b(?=(?-i:[A-Za-z][a-z]))(?:translat\w+|proof-?read|summari[sz]e|rephrase|re-?write|reword|polish|edit|check|fix|review|read|"
        r"shorten|tidy|grade|critique|"
        r"look (?:at|over)|analy[sz]e|debug|parse|pars\w+|respond to|reply to|answer this|explain|correct|"
        r"transcribe|thoughts on|rate|roast|"
        r"decode|mark|improve|punctuate|format)\b(?![^\n:]{0,30}\bmy (?:\w+ ){0,2}(?:bio|profile|intro|cv|resume|"
        r"cover letter|about))"
        r"[^\n:]{0,70}(?::(?=\s|[\"“'])|\n)"
        r"|\b(?:got|received|found|here'?s|this is|below is|following is)\b[^\n:]{0,24}\b(?:e-?mail|message|text|"
        r"letter|note|review|ad|bio|cv|"
        r"resume|post|tweet|comment|quote|lyrics|transcript|log|readme|profile|listing|article|paragraph|poem|"
        r"speech|script|blurb|env)\b[^\n:]{0,40}[:\n]"
        r"|\b(?:he|she|they|who|boss|landlord|recruiter|client|customer|email|ad|post|sign|note|letter|bio|"
        r"profile) (?:just )?(?:wrote|said|sent|"
        r"says|reads|texted|posted|replied|emailed)(?: \w+){0,3}:"
        r"|^(?:lyrics|transcript|job ad|quote|e-?mail|message|bio|cv|resume|text)\s?:"
    ),
    restated=_words(
        r"^(?:oh|no|wait|sorry|i mean|ah|um)[ ,]{1,3}(?:it'?s|that'?s|i meant?|make that) (?P<new>[^,.!?]{3,40})"
    ),
    slip=_words(
        _OPENING
        + r"(?:wait(?: (?:no|sorry|actually|wait))?(?! (?:till|until|for|to|a|at|on|in|times?|one|what|can)\b)|"
        r"(?:wait )?sorry(?! (?:for|about|to|if|i|but)\b)|scratch that|strike that|correction|i meant|i mean|typo|oops|"
        r"whoops|my bad|hang on|hold on|actually|misspoke|mistyped|autocorrect|fat (?:fingers?|thumbs?)|"
        r"got (?:that|it) wrong|er no|ugh no|make that|on second thou?ghts?|no no)\b[,:!]*"
        r"(?: (?:i meant|i mean|sorry|no|it's|actually|make that))*|^\*(?=\w)"
    ),
    corrections=(
        _words(
            r"\b(?:it'?s|is|i meant|i mean|should be|make (?:it|that)|i'm|"
            r"say) (?P<new>[\w +#.'-]{2,40}?),? (?:and )?not (?P<old>[\w +#.'-]{2,40})$"
        ),
        _words(
            r"\bnot (?:an? |the |in |at )?(?P<old>[\w +#.'-]{2,40}?)[,;.]* (?:it'?s|but|i meant|i mean|i'm|rather|"
            r"make that|should be) "
            r"(?:an? |the |in |at )?(?P<new>[\w +#.'-]{2,40})$"
        ),
        _words(
            r"\b(?:change|correct|switch|swap) (?:the |that |my )?(?P<old>[\w +#.'-]{2,30}?) (?:to|for|with|"
            r"into) (?P<new>[\w +#.'-]{2,30})$"
        ),
        _words(
            r"^(?:(?:sorry|wait|no|oops|actually|i mean|my bad)[, ]+){1,3}not (?:the |an? )?(?P<old>[\w '-]{2,30}?)"
            r"[,;] (?P<new>[\w '-]{2,30})$"
        ),
        _words(r"^(?P<old>[\w +#.'-]{2,30}?) should (?:be|say|read) (?P<new>[\w +#.'-]{2,30})$"),
    ),
)
