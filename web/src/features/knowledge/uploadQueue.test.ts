import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/client";
import { shareDone } from "./upload";
import { type Carrier, type Sent, UploadQueue } from "./uploadQueue";

const FILE = { file: new File(["x"], "x.md") };
const wanted = (...names: string[]) => names.map((name) => ({ workspaceId: null, kbId: "kb", name, content: FILE }));
const rest = () => new Promise((resume) => setTimeout(resume, 0));
const event = (type: string, operationId: string, progress = 100) => ({
  type,
  operationId,
  progress,
  documentId: null,
  knowledgeBaseId: "kb",
});

/** A server whose answers are given by hand. */
function byHand() {
  const answers = new Map<
    string,
    { answer: (sent: Sent) => void; refuse: (error: unknown) => void; replace: boolean }
  >();
  const carrier: Carrier = {
    send: (upload) =>
      new Promise((answer, refuse) => answers.set(upload.name, { answer, refuse, replace: upload.replace })),
    look: async () => ({ state: "failed", progress: 0, error: new ApiError("It is damaged.", "DOCUMENT_FAILED", 200) }),
  };
  const queue = new UploadQueue(carrier);
  const states = () => Object.fromEntries(queue.list().map(({ name, state }) => [name, state]));
  return { queue, answers, states };
}

const accepted = (name: string, replacing = false): Sent => ({
  documentId: `doc_${name}`,
  operationId: `op_${name}`,
  replacing,
  unchanged: false,
});

describe("the upload queue", () => {
  it("sends four at once, and the next when one is through", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a", "b", "c", "d", "e", "f"));
    expect([...answers.keys()]).toEqual(["a", "b", "c", "d"]);
    answers.get("b")?.answer(accepted("b"));
    await rest();
    expect([...answers.keys()]).toEqual(["a", "b", "c", "d", "e"]);
    expect(states()).toMatchObject({ a: "sending", b: "waiting", e: "sending", f: "queued" });
  });

  it("follows indexing, also where that is faster than the answer", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a", "b"));
    queue.hear(event("done", "op_b"));
    answers.get("a")?.answer(accepted("a"));
    answers.get("b")?.answer(accepted("b", true));
    await rest();
    queue.hear(event("progress", "op_a", 40));
    expect(states()).toEqual({ a: "indexing", b: "replaced" });
    expect(queue.list().map(shareDone)).toEqual([0.7, 1]);
    queue.hear(event("failed", "op_a"));
    await rest();
    expect(queue.list()[0]).toMatchObject({ state: "failed", error: { message: "It is damaged." } });
  });

  it("sends again what did not arrive", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a"));
    answers.get("a")?.refuse(new ApiError("", "NO_ANSWER", 0));
    await rest();
    expect(states()).toEqual({ a: "failed" });
    queue.retry(queue.list()[0]!.id);
    answers.get("a")?.answer(accepted("a"));
    await rest();
    queue.hear(event("done", "op_a"));
    expect(states()).toEqual({ a: "added" });
  });

  it("asks before it replaces", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a"));
    answers.get("a")?.refuse(new ApiError("It is here already.", "DUPLICATE_FILE", 409));
    await rest();
    expect(states()).toEqual({ a: "duplicate" });
    queue.replace(queue.list()[0]!.id);
    expect(answers.get("a")?.replace).toBe(true);
  });

  it("cancels what has not gone out, and forgets what is over", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a", "b", "c", "d", "e"));
    answers.get("a")?.answer(accepted("a"));
    await rest();
    queue.cancelAll();
    expect(states()).toEqual({ a: "waiting", b: "cancelled", c: "cancelled", d: "cancelled", e: "cancelled" });
    queue.clear();
    expect(states()).toEqual({ a: "waiting" });
  });

  it("shows every file of an archive", async () => {
    const { queue, answers, states } = byHand();
    queue.add(wanted("a.zip"));
    const refusal = new ApiError("Unknown format.", "UNSUPPORTED_FILE", 415);
    const nothing = { documentId: null, operationId: null };
    answers.get("a.zip")?.answer({
      members: [
        { name: "x.md", documentId: "doc_x", operationId: "op_x", error: null },
        { name: "y.bin", ...nothing, error: refusal },
        { name: "z.md", documentId: "doc_z", operationId: null, error: null },
      ],
    });
    await rest();
    expect(states()).toEqual({ "a.zip": "unpacked", "x.md": "waiting", "y.bin": "failed", "z.md": "unchanged" });
    expect(queue.list()[0]).toMatchObject({ taken: 2, refused: 1 });
  });
});
