"""Languages: telling them apart by the words that carry grammar, and stemming their words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from threading import local
from typing import Protocol, cast

import Stemmer

DEFAULT = "english"
# The words of each language that carry a sentence's grammar, not its subject. Those of questions are among them.
_GRAMMAR: dict[str, str] = {
    "english": """
        a about an and any are as at be been being but by can could did do does doing done for from had has have
        having he her hers him his how i if in into is it its many me much my of on or our ours shall she should so some
        such than that the their theirs them then there these they this those to too us very was we were what when where
        which who whom whose why with would you your yours""",
    "german": """
        aber als am an auch auf aus bei beim bin bis da damit dann das dass daß dein dem den der deren des dessen die
        dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für gab gibt hat
        hatte hatten haben ich ihr ihre ihrem ihren ihrer im in ins ist kann kein keine können man mein mit nach nicht
        noch nur ob oder ohne sein seine seinem seinen seiner sich sie sind so über um und uns unser unter viel viele
        vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werden wie
        wieso wir wird wo wofür woher wohin womit worden wurde wurden zu zum zur""",
    "french": """
        à ai au aucun aussi aux avait avec avoir c ce cela celle celui ces cet cette ceux chez combien comment d dans
        de des dont du elle elles en est et était étaient être eu eux fait faut il ils j je l la laquelle le lequel
        les lesquels leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour pourquoi
        qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une
        vos votre vous y""",
    "spanish": """
        a adónde al algo ante aquel aquella así aún como cómo con cuál cuales cuáles cuando cuándo cuanta cuánta
        cuántas cuanto cuánto cuántos de del desde donde dónde el él ella ellas ellos en entre era eran es esa ese eso
        esta está están estas este esto estos fue fueron ha había hace han hasta hay la las le les lo los más me mi
        mis muy ni no nos nosotros nuestra nuestro o para pero por porque que qué quien quién quiénes se según ser si
        sí sido sin sobre son su sus también te tiene tu tus un una uno unos y ya yo""",
    "italian": """
        a agli ai al alla alle allo anche c che chi ci col come con cosa così cui da dagli dai dal dalla dalle dei del
        della delle dello di dove e è era erano fu gli ha hanno i il in io l la le lei lo loro lui ma mi mia mio ne
        negli nei nel nella nelle nello noi non nostra nostro o per perché più quale quali quando quanta quante quanti
        quanto quella quello questa queste questi questo qui se sei si sia sono sta stata stato su sua sue sugli sui
        sul sulla suo suoi ti tra tu un una uno vi voi""",
    "portuguese": """
        a à ao aos aquela aquele as às com como da das de dela dele do dos e é ela elas ele eles em entre era eram
        essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me meu minha muito na não nas nem no
        nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quais quando quanta
        quantas quanto quantos que quê quem se sem ser seu seus são sua suas também te tem têm teu tua um uma umas uns
        você vocês""",
    "dutch": """
        aan al als bij dan dat de deze die dit door dus een en er ge geen had hadden heb hebben heeft het hij hoe
        hoeveel hun ik in is je jij jouw kan kunnen maar me meer men met mij mijn na naar niet nog nu of om omdat onder
        ons onze ook op over te tegen ten ter tot u uit uw van veel voor waar waarom wanneer waren was wat we welk
        welke werd werden wie wij worden wordt zal ze zich zij zijn zo zonder zou""",
    "swedish": """
        alla är att av blev bli blir då de dem den deras det detta dig din du efter eller en ett för från ha hade han
        hans har hennes hon honom hos hur i icke inte jag kan man med mellan men mig min mot mycket när någon något
        några nu och om oss på sedan sig sin sina som så till under upp ut vad var varför varit vart vem vi vid vilka
        vilken vilket över""",
    "danish": """
        af alle at blev blive bliver da de dem den denne der deres det dette dig din dog du efter eller en end er et
        for fra ham han hans har have havde hende hendes her hos hun hvad hvem hvilke hvilken hvilket hvis hvor
        hvordan hvorfor hvornår i ikke ind jeg kan man mange med meget men mig min mod når nogen noget nogle nu og også
        om op os over på sig sin sine skal som så til ud under var ved vi vil være været""",
    "norwegian": """
        å alle at av ble bli blir da de dem den denne der deres det dette din du eller en enn er et etter for fordi fra
        før ha hadde han hans har henne hennes her hos hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor i
        ikke inn jeg kan man mange med meg men min mot når noe noen nå og også om opp oss over på seg selv sin sine
        skal som så til ut var ved vi vil være vært""",
    "finnish": """
        ei eivät että he hän häneltä hänen ja joka joiden jonka joista jos jossa jota jotka kanssa keiden kenen ketä
        koska kuin kuinka kuka kun me mihin mikä miksi millainen millä minä missä mistä miten mitkä mitä mukaan mutta
        myös ne niiden niin nyt oli olivat olla olen on ole ovat se sekä sen siellä sillä sinä sitä tai tämä tämän te
        tätä tuo vain voi""",
    "hungarian": """
        a abban ahhoz ahol aki akik amely amelyek ami amikor az azok azon azt be bele csak de e ebben egy egyes ehhez
        el ennek ez ezek ezen ezt fel ha hány hanem hogy hogyan hol honnan hová így is itt ki kik le lehet lesz
        meg mely mert mi miért mikor milyen mint mit most nagyon ne nem s sem szerint után vagy van vannak volt
        voltak""",
    "turkish": """
        ama ancak bazı bir birçok biz bu bunlar bunu bunun çok çünkü da daha de değil diye en fakat gibi hangi hem hep
        her hiç için ile ise kaç kadar ki kim kimin mı mi mu mü nasıl ne neden nedir nerede neresi o olan olarak oldu
        olduğu olduğunu onlar onun sen siz şey şu tarafından ve veya ya yani zaman""",
    "romanian": """
        a acea această acest aceste ai al ale am are au avea avut ca când care cât câte câți ce cea cel cele cine cu
        cum dar de decât deci despre din doar după ea ei el ele era este eu există fi fost iar în îi îl între la le lor
        lui mai mult nici noi nu o or ori pe pentru prin s sa sale sau să se și sunt său toate tot un una unde unei
        unor unui va vor""",
    "russian": """
        а без более был была были было быть в вам вас ведь во вот все всего всех вы где для до его ее её если есть еще
        ещё же за зачем здесь и из или им их к как какая какие каким какого какой какую когда кого которая которого
        которой которые который кому кто куда ли между меня мне мы на над него нее ней нет ни них но о об один он она
        они оно от откуда по под почему при с сколько со так также там то того тоже только том ту ты у уже чего чей
        чем через что чтобы чьё эта эти это этого этой этом я""",
    "arabic": """
        أن إن أو أي أين إلى التي الذي الذين اللذان اللتي بعد بين تكون تم ثم حتى حيث خلال ذلك عام عدد على عن عند عندما
        غير فإن في قبل قد كان كانت كل كم كما كيف لا لدى لقد لكن لم لماذا لن له لها ليس ما ماذا متى مع من منذ منها
        هذا هذه هل هم هناك هو هي و وفي وقد يتم يكون""",
}

_NON_LATIN = {
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "TAMIL": "tamil",
    "ARMENIAN": "armenian",
}
# What stands in Chinese and Japanese questions for the same purpose; these scripts have no spaces to tell words by.
_UNSPACED_GRAMMAR = (
    "为什么 什么 哪些 哪个 哪里 哪一 哪 谁 多少 几 怎么 怎样 如何 何时 吗 呢 的 了 是 在 和 与 有 被 这 那 們 们 "
    "為什麼 什麼 誰 幾 怎麼 嗎 這 "
    "ですか ますか でしょうか ですが です ます なぜ どこ どの どれ どう いつ 何 から まで は が を に の で と も か"
)
_LONGEST_FIRST = sorted(_UNSPACED_GRAMMAR.split(), key=len, reverse=True)
UNSPACED_GRAMMAR = re.compile("|".join(_LONGEST_FIRST))
# Where a text is this long and its grammar this sparse, it is a list, a table or code rather than a language.
_FEWEST_SIGNS = 3
_SIGNS_SHARE = 0.1

# Scripts in which hardly anything but one language is written, and the tags of the languages that are told by grammar.
_WRITES_ONE = {"GREEK": "el", "ARMENIAN": "hy", "TAMIL": "ta", "HANGUL": "ko", "THAI": "th", "HEBREW": "he"}
_TAGS = {
    "english": "en",
    "german": "de",
    "french": "fr",
    "spanish": "es",
    "italian": "it",
    "portuguese": "pt",
    "dutch": "nl",
    "swedish": "sv",
    "danish": "da",
    "norwegian": "no",
    "finnish": "fi",
    "hungarian": "hu",
    "turkish": "tr",
    "romanian": "ro",
    "russian": "ru",
    "arabic": "ar",
}
# The letters that set Russian apart from the other languages written in Cyrillic: one it cannot do without, and theirs.
_RUSSIAN, _NOT_RUSSIAN = "ы", frozenset("іїєґўјљњћђѓќәұқөү")
_CHARS_TELLING = 20_000
_HAN_WEIGHT = 3  # one character says as much as a few letters
_KANA_SHARE = 0.1

LATIN = tuple(language for language in _GRAMMAR if language not in _NON_LATIN.values())
_SIGNS = {language: frozenset(words.casefold().split()) for language, words in _GRAMMAR.items()}
GRAMMAR = frozenset[str]().union(*_SIGNS.values())
# A single letter is a name, a unit or a variable as often as a word.
_SPOKEN_IN = {word: [language for language in LATIN if word in _SIGNS[language]] for word in GRAMMAR if len(word) > 1}
_stemmers = local()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


def detect_language(words: Sequence[str]) -> str:
    """The language of a passage's words written in Latin letters; English where nothing tells."""
    language, signs = _most_signs(words)
    return language if signs >= max(_FEWEST_SIGNS, _SIGNS_SHARE * len(words)) else DEFAULT


def tell_language(text: str) -> str | None:
    """The language that most of a text is in, by its tag (BCP 47); None where nothing tells."""
    text = unicodedata.normalize("NFKC", text[:_CHARS_TELLING]).casefold()
    letters = Counter[str]()
    for letter, times in Counter(text).items():
        if letter.isalpha():
            letters[unicodedata.name(letter, "").partition(" ")[0]] += times
    kana = letters.pop("HIRAGANA", 0) + letters.pop("KATAKANA", 0)
    letters["CJK"] = (letters["CJK"] + kana) * _HAN_WEIGHT
    script, most = letters.most_common(1)[0]
    if script == "CJK" and most:
        return "ja" if kana * _HAN_WEIGHT > _KANA_SHARE * most else "zh"
    if script in _WRITES_ONE:
        return _WRITES_ONE[script]
    if script == "CYRILLIC" and (_RUSSIAN not in text or not _NOT_RUSSIAN.isdisjoint(text)):
        return None
    words = re.findall(r"[^\W\d_]+", text)
    language = _NON_LATIN.get(script)
    if script == "LATIN":
        language, signs = _most_signs(words)
    else:
        signs = sum(word in _SIGNS.get(language or "", ()) for word in words)
    return _TAGS.get(language or "") if signs >= max(_FEWEST_SIGNS, _SIGNS_SHARE * len(words)) else None


def guess_languages(words: Sequence[str]) -> tuple[str, ...]:
    """The languages a short text may be in, likeliest first: a question of keywords alone may be in any."""
    language, signs = _most_signs(words)
    return tuple(dict.fromkeys((language, DEFAULT))) if signs else LATIN


def is_grammar(word: str, language: str) -> bool:
    """Whether a word carries a sentence's grammar, in this language or in the one its script is taken for."""
    return word in _SIGNS[language] or (not word.isascii() and word in _SIGNS.get(_language_of(word, language), ()))


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """A word without its endings, by the rules of the language, or of its script's unless that is Latin."""
    spoken = _language_of(word, language)
    if not spoken or any(character.isdigit() for character in word):
        return word
    # A stemmer is not thread-safe.
    stemmer: _Stemmer | None = getattr(_stemmers, spoken, None)
    if stemmer is None:
        stemmer = cast("_Stemmer", Stemmer.Stemmer(spoken))  # pyright: ignore[reportUnknownMemberType]
        setattr(_stemmers, spoken, stemmer)
    return stemmer.stemWord(word)


def _language_of(word: str, language: str) -> str:
    if word[0].isascii():
        return language
    script = unicodedata.name(word[0], "").partition(" ")[0]
    return language if script == "LATIN" else _NON_LATIN.get(script, "")


def _most_signs(words: Sequence[str]) -> tuple[str, int]:
    """The language with most grammar in a text, English first among equals, and how many words that is."""
    signs = Counter(language for word in words for language in _SPOKEN_IN.get(word, ()))
    best = max(LATIN, key=lambda language: signs[language])
    return best, signs[best]
