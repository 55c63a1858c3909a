"""Probes: passages on unlike subjects, each with a question it answers, that show an embedder's scale of cosines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probe:
    """A passage and a question that it, and none of the others, answers."""

    question: str
    passage: str


PROBES = (
    Probe(
        "How do bees tell each other where to find nectar?",
        "A honey bee that has come back from a rich patch of flowers runs in a figure of eight on the comb. The angle "
        "of the straight part shows the direction relative to the sun, and its length the distance. The others follow "
        "her movements in the dark of the hive and then fly out to the same place.",
    ),
    Probe(
        "Why does bread dough rise?",
        "Yeast feeds on the sugars in flour and gives off carbon dioxide. The gluten that forms when dough is kneaded "
        "is elastic and keeps the gas in small bubbles, so that the loaf grows to about twice its size before it goes "
        "into the oven. Warmth makes the yeast work faster, salt slows it down.",
    ),
    Probe(
        "What causes the tides of the sea?",
        "The Moon pulls on the water of the oceans, more strongly on the side that faces it than on the far side. Two "
        "bulges of water follow from that, and since the Earth turns beneath them most coasts see high water twice a "
        "day. When Sun and Moon stand in one line, the difference is greatest.",
    ),
    Probe(
        "How long is an employee's period of notice?",
        "Either party may end the contract in writing. During the probation of six months two weeks are enough; "
        "afterwards four weeks to the end of a calendar month apply, and three months once somebody has worked for the "
        "company for ten years. Leave that is left over is paid out with the last salary.",
    ),
    Probe(
        "How can a lost password be reset?",
        "Choose 'Forgot your password?' on the sign-in page and enter your e-mail address. Within a few minutes you "
        "receive a link that is valid for one hour. It leads to a form in which you set a new password of at least "
        "twelve characters; all other devices are signed out by that.",
    ),
    Probe(
        "Which instrument measures air pressure?",
        "In 1643 Torricelli filled a glass tube with mercury and turned it over in a dish. The column sank to about "
        "76 centimetres and stayed there, held up by the weight of the atmosphere. His barometer soon served to "
        "forecast the weather: a falling column announces a storm.",
    ),
    Probe(
        "What does photosynthesis need and what does it produce?",
        "Green leaves take up carbon dioxide from the air and water through the roots. In the chloroplasts light "
        "drives a chain of reactions that turns them into sugar, while oxygen is set free as a by-product. Nearly all "
        "the oxygen that animals breathe comes from this process.",
    ),
    Probe(
        "Who pays when a parcel arrives damaged?",
        "Goods travel at the seller's risk until they have been handed over to the customer. Please note any damage on "
        "the delivery slip and send us photographs within three days. We replace the item or refund the price and the "
        "postage, whichever you prefer, and settle the matter with the carrier ourselves.",
    ),
    Probe(
        "What is the offside rule in football?",
        "An attacker may not be nearer to the opponents' goal line than both the ball and the second-last defender at "
        "the moment when a team-mate plays the ball forward. It is no offence in one's own half, nor straight from a "
        "goal kick, a throw-in or a corner. The referee gives an indirect free kick.",
    ),
    Probe(
        "How does vaccination protect against a disease?",
        "A vaccine shows the immune system harmless parts of a germ. White blood cells learn to recognise them and "
        "some of these cells stay in the body for years as a memory. On meeting the real virus they make antibodies "
        "within days, mostly before the person falls ill.",
    ),
    Probe(
        "Why was the Suez Canal built?",
        "Before 1869 ships between Europe and India had to sail around the whole of Africa. The waterway through the "
        "isthmus joined the Mediterranean to the Red Sea and shortened the voyage from London to Bombay by more than "
        "seven thousand kilometres. It has no locks, because both seas lie at the same level.",
    ),
    Probe(
        "How do I undo the last commit in a git repository?",
        "Run `git reset --soft HEAD~1` to take the most recent commit away while its changes stay staged, or use "
        "`--hard` to throw the changes away too. If it was pushed already, `git revert` is safer: it adds a new commit "
        "that does the opposite, and nobody's history is rewritten.",
    ),
    Probe(
        "What makes central banks raise interest rates?",
        "When prices climb faster than the target of about two per cent a year, borrowing is made more expensive. "
        "Households then buy less on credit and firms put off investments; demand cools and inflation comes down. The "
        "price of that is slower growth and sometimes higher unemployment.",
    ),
    Probe(
        "How is a violin tuned?",
        "The four strings are a fifth apart: G, D, A and E. The player first takes the A from a fork or from the oboe "
        "and turns the peg while drawing the bow, then compares neighbouring strings until the two notes together no "
        "longer beat. Fine tuners at the tailpiece help with the thin E string.",
    ),
    Probe(
        "What should be done first after an earthquake?",
        "Stay away from buildings that could still collapse and expect further shocks. Look after the injured, shut "
        "off gas and electricity if pipes or wires may be broken, and listen to the radio for advice. Use the "
        "telephone only in an emergency, since rescue teams need the lines.",
    ),
    Probe(
        "Why do cats purr?",
        "The sound arises in the larynx, whose muscles open and close the vocal folds some thirty times a second while "
        "the animal breathes in and out. Kittens purr when they drink, adults when they are content, but also in pain "
        "or fear; perhaps the vibration calms them.",
    ),
)
