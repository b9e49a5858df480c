import { useEffect, useState } from 'preact/hooks';
import { api, problem, messageOf } from './state.ts';

/** Something that is asked of the process. */
export interface AskedVerb {
  readonly verb: string;
  readonly body: object;
  /** Things that make it another question when they change. */
  readonly keys: readonly unknown[];
  /** Quiet time before it is asked, in milliseconds; none by default. */
  readonly quietMs?: number;
  /** Receives errors; by default they are shown at the top of the page. */
  failed?(error: unknown): void;
}

/** Asks the process whenever the question changes. The answer is that to the latest of them, in whatever order they come. */
export function useAsked<Result>(asked: AskedVerb | undefined): Result | undefined {
  const [answer, setAnswer] = useState<Result>();
  const keys = asked === undefined ? ['nothing'] : asked.keys;
  useEffect(() => {
    if (asked === undefined) return undefined;
    const { verb, body, quietMs = 0, failed = told } = asked;
    const controller = new AbortController();
    const ask = (): void =>
      void api
        .post<Result>(verb, body, controller.signal)
        .then((came) => {
          if (!controller.signal.aborted) setAnswer(came);
        })
        .catch((error: unknown) => {
          if (!controller.signal.aborted) failed(error);
        });
    const timer = setTimeout(ask, quietMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, keys);
  // If there is no question now, the earlier input is not an answer.
  return asked === undefined ? undefined : answer;
}

function told(error: unknown): void {
  problem.value = messageOf(error);
}
