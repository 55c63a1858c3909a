/** Everything the page asks of the server goes through here: typed by our OpenAPI, unwrapped from the envelope. */
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
import { chosenWorkspace } from "./workspace";

export type Schemas = components["schemas"];

/** A failure in words for people; `code` is for programs, `status` 0 means that no answer came at all. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly details?: Record<string, unknown>,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get signedOut(): boolean {
    return this.status === 401;
  }
}

export const api = createClient<paths>({ baseUrl: globalThis.location?.origin ?? "" });

api.use({
  onRequest({ request }) {
    const workspace = chosenWorkspace();
    // What was begun in one workspace goes on there after another was chosen, and says so itself.
    if (workspace && !request.headers.has("X-Pinakes-Workspace")) {
      request.headers.set("X-Pinakes-Workspace", workspace);
    }
  },
});

type Answer<Data> = { data?: { success: true; data?: Data }; error?: unknown; response: Response };

/** The data of an answer, or an ApiError: `await data(api.GET("/api/me"))`. */
export async function data<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await request;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError("", "NO_ANSWER", 0);
  }
  if (answer.data?.success) return answer.data.data as Data;
  throw failureOf(answer.error, answer.response.status);
}

/** What went wrong, from the body of a failed answer, whatever a proxy in between made of it. */
export function failureOf(body: unknown, status: number): ApiError {
  if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") {
    const failure = body as Schemas["Failure"];
    return new ApiError(failure.error, failure.errorCode, status, failure.details ?? undefined);
  }
  return new ApiError("", "NO_ANSWER", status);
}
