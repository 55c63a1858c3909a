import { expect, it } from "vitest";
import { splitAnswer } from "./answerParts";

it("splits an answer at the server's own numbers", () => {
  expect(splitAnswer("It filled 120 scrolls. [1] Callimachus wrote it. [2]", 2)).toEqual([
    { text: "It filled 120 scrolls.", number: 1 },
    { text: "Callimachus wrote it.", number: 2 },
  ]);
});

it("leaves brackets of the documents alone", () => {
  expect(splitAnswer("As Smith [1] says, [2] is two. [1]", 1)).toEqual([
    { text: "As Smith [1] says, [2] is two.", number: 1 },
  ]);
  expect(splitAnswer("Nothing was found.", 0)).toEqual([]);
});
