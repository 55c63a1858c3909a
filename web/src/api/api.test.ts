import { describe, expect, it } from "vitest";
import { safePath } from "../features/session/SignInPage";
import { data, failureOf } from "./client";
import { parseEvents } from "./events";

const response = (status: number) => new Response(null, { status });

describe("the client", () => {
  it("hands over the data of a success", async () => {
    const answer = Promise.resolve({ data: { success: true as const, data: 7 }, response: response(200) });
    expect(await data(answer)).toBe(7);
  });

  it("throws a failure in the server's own words", async () => {
    const error = { success: false, error: "Choose another name.", errorCode: "CONFLICT", details: { name: "x" } };
    const failing = data(Promise.resolve({ error, response: response(409) }));
    await expect(failing).rejects.toMatchObject({ message: "Choose another name.", code: "CONFLICT", status: 409 });
  });

  it("knows an answer that is none of ours", async () => {
    expect(failureOf("<html>Bad gateway</html>", 502)).toMatchObject({ code: "NO_ANSWER", status: 502 });
    await expect(data(Promise.reject(new TypeError("Failed to fetch")))).rejects.toMatchObject({ status: 0 });
  });

  it("reads events however the stream was cut", () => {
    const whole = 'event: done\ndata: {"operationId":"op_1","progress":100}\n\n: still here\n\nevent: pro';
    const { events, rest } = parseEvents(whole);
    expect(events).toEqual([{ type: "done", operationId: "op_1", progress: 100 }]);
    expect(rest).toBe("event: pro");
  });

  it("goes on only to a path of our own after signing in", () => {
    expect(safePath("/settings/keys?x=1")).toBe("/settings/keys?x=1");
    for (const bad of [
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "/\t/evil.example",
      "/\n\\evil.example",
      null,
      "",
    ]) {
      expect(safePath(bad)).toBe("/");
    }
  });
});
