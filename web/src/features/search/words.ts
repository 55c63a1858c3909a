/** Which words of a passage are words of the question. */

export type Piece = { text: string; marked: boolean };

/** Words that stand in every question and point at nothing. */
const EMPTY_WORDS = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it " +
    "its may me my no not of on or our out she should so than that the their them then there these they this those to " +
    "was we were what when where which who whom whose why will with would you your " +
    "的 了 是 在 和 与 有 我 你 您 他 她 它 们 这 那 吗 呢 吧 啊 什么 怎么 哪 谁 多少 几 为 为什么 如何 哪些 哪个 会 能 可以"
  ).split(" "),
);
const SHORTEST_STEM = 3;

function* wordsOf(text: string): Generator<{ start: number; word: string }> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  for (const { index, segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) yield { start: index, word: segment };
  }
}

/** Close enough to what search does: a word and its plural or past are one. */
function stem(word: string): string {
  const plain = word.normalize("NFKC").toLowerCase();
  const short = plain.replace(/(?:ing|ies|ed|es|s|y)$/, "");
  return /^[a-z]+$/.test(plain) && short.length >= SHORTEST_STEM ? short : plain;
}

export function questionWords(question: string): Set<string> {
  const words = new Set<string>();
  for (const { word } of wordsOf(question)) {
    if (!EMPTY_WORDS.has(word.toLowerCase())) words.add(stem(word));
  }
  return words;
}

/** The text in pieces, those marked that the question speaks of. */
export function markWords(text: string, words: Set<string>): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  if (words.size) {
    for (const { start, word } of wordsOf(text)) {
      if (!words.has(stem(word))) continue;
      if (start > from) pieces.push({ text: text.slice(from, start), marked: false });
      pieces.push({ text: word, marked: true });
      from = start + word.length;
    }
  }
  if (from < text.length) pieces.push({ text: text.slice(from), marked: false });
  return pieces;
}
