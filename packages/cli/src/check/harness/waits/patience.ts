import { askedWaitMs } from '../../../../../parley/src/jsonrpc/transient.ts';
import { after } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { RawExchange } from '../exchange.ts';
import type { RawHttp } from '../http.ts';

/** Bounds of waiting for a server that wants fewer requests: tries of one request, the longest wait before each, and requests that were refused all the same. */
const most = { tries: 2, waitTimeoutMs: 5_000, vain: 10 };

/** Things that a patient sender needs. */
export interface PatienceParts {
  /** Asks for room for one more message. It rejects when there is none. */
  room(): Promise<void>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

/**
 * Repeats requests that are rejected with 429 or 503 after a short `Retry-After`. Later refusals are returned
 * unchanged, and after ten such requests nothing is repeated.
 */
export function patiently(http: RawHttp, { room, signal }: PatienceParts): RawHttp {
  let vain = 0;
  return {
    ...http,
    async send(request) {
      let exchange = await http.send(request);
      for (let tries = 0; tries < most.tries; tries++) {
        const waitTimeoutMs = askedToWait(exchange);
        if (waitTimeoutMs === undefined || waitTimeoutMs > most.waitTimeoutMs || vain >= most.vain) return exchange;
        const stop = request.stop === undefined ? signal : AbortSignal.any([signal, request.stop]);
        await rest(waitTimeoutMs, stop);
        if (stop.aborted || !(await hasRoom(room))) return exchange;
        exchange = await http.send(request);
      }
      if (askedToWait(exchange) !== undefined) vain++;
      return exchange;
    },
  };
}

/** Time after which a request that was refused may be sent again, in milliseconds; `undefined` where the answer does not say so. */
function askedToWait({ status, headers }: RawExchange): number | undefined {
  return status === 429 || status === 503 ? askedWaitMs(headers['retry-after']) : undefined;
}

async function rest(ms: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      cancel();
      stop.removeEventListener('abort', over);
      resolve();
    };
    const cancel = after(ms, over, true);
    stop.addEventListener('abort', over, { once: true });
  });
}

async function hasRoom(room: () => Promise<void>): Promise<boolean> {
  try {
    await room();
    return true;
  } catch {
    // The sender of the next message gets the error.
    return false;
  }
}
