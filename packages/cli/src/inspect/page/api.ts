import type { FeedLine } from '../view.ts';

/** A request that the process refused, in words for the person. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** Way to the process. */
export interface Api {
  /** Posts a verb. @throws ApiError in words for the person. */
  post<Result>(verb: string, body?: object, signal?: AbortSignal): Promise<Result>;
  /** Follows the feed for as long as the page is open. */
  follow(hear: (line: FeedLine) => void, state: (words: string | undefined) => void): Promise<void>;
}

/** A line of the feed that the page failed to take: a fault of its own. */
class HeardError extends Error {}

const gone =
  'The process of parley inspect does not answer. If it ended, start it again and open the address that it prints; this page shows the earlier state.';

/** Waits between tries to reach the process again, in milliseconds. */
const waits = [250, 500, 1_000, 2_000, 5_000];

/** Makes the way to the process. */
export function createApi(token: string): Api {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function send(verb: string, body: object, signal?: AbortSignal): Promise<Response> {
    const response = await asked(`/api/${verb}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return response;
    const told: unknown = await response.json().catch(() => undefined);
    const words =
      typeof told === 'object' && told !== null && 'error' in told ? String(told.error) : response.statusText;
    throw new ApiError(response.status, words);
  }

  async function once(since: number, hear: (line: FeedLine) => void): Promise<void> {
    const response = await send('feed', { since });
    let rest = '';
    // A function that waits for the next piece would hold the last one until then, which may be megabytes.
    const write = (piece: string): void => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line, hear);
    };
    await response.body?.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream({ write }));
  }

  return {
    async post<Result>(verb: string, body: object = {}, signal?: AbortSignal) {
      // Each verb answers what its caller expects.
      return (await (await send(verb, body, signal)).json()) as Result;
    },
    async follow(hear, state) {
      let since = 0;
      let tries = 0;
      for (;;) {
        let words = gone;
        try {
          await once(since, (line) => {
            tries = 0;
            state(undefined);
            if (line.kind === 'rows') since = Math.max(since, line.version);
            hear(line);
          });
        } catch (error) {
          if (error instanceof ApiError && error.status === 401) return state(error.message);
          // A received line would be the same on another request.
          if (error instanceof HeardError) return state(error.message);
          if (error instanceof ApiError) words = error.message;
        }
        state(words);
        await new Promise((resolve) => setTimeout(resolve, waits[Math.min(tries++, waits.length - 1)]));
      }
    },
  };
}

/** Asks the process. @throws ApiError where it does not answer, of which a browser says no more than that it failed. */
async function asked(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError(0, gone);
    throw error;
  }
}

/** Takes a line. @throws HeardError where the page fails. */
function take(line: string, hear: (line: FeedLine) => void): void {
  try {
    // The process writes nothing different.
    hear(JSON.parse(line) as FeedLine);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new HeardError(`This page failed, and shows no further events: ${what}. Reload it.`);
  }
}
