/** An answer is text, a number in brackets, text, another number: the server puts each behind what it stands for. */
export type AnswerPart = { text: string; number: number };

/**
 * The parts of an answer, each with the number of its source. Read from the end: the text itself may hold brackets,
 * but the last `[2]` is the server's.
 */
export function splitAnswer(answer: string, sources: number): AnswerPart[] {
  const parts: AnswerPart[] = [];
  let end = answer.length;
  for (let number = sources; number >= 1; number--) {
    const mark = ` [${number}]`;
    const at = answer.lastIndexOf(mark, end - mark.length);
    if (at < 0) continue;
    const rest = answer.slice(at + mark.length, end).trim();
    if (parts[0] && rest) parts[0].text = rest;
    parts.unshift({ text: "", number });
    end = at;
  }
  if (parts[0]) parts[0].text = answer.slice(0, end).trim();
  return parts;
}
