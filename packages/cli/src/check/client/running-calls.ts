/** Requests that run until their time is over, what they wait for has come, or their client gives them up. */

import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { SideChannel } from './piece.ts';
import { idText, keptId, type LongCall, type ClientSession } from './client-session.ts';

/** Limit of those that are remembered of one conversation. */
const maxCalls = 100;

/** A request that runs, and the end of it. */
export interface Lasting {
  readonly id: unknown;
  readonly clientSession: ClientSession;
  readonly line: SideChannel;
  readonly ms: number;
  /** Something that ends it before its time; left out for a call, which has nothing but its time. */
  readonly until?: Promise<void> | undefined;
}

/** The calls of one run. */
export class RunningCalls {
  /** Ends of those that run. */
  readonly #running = new Set<() => void>();

  /** Lets a request run. @returns False where it was given up before. */
  async last({ id, clientSession, line, ms, until }: Lasting): Promise<boolean> {
    const call: LongCall = {
      id: keptId(id),
      isCancelled: false,
      isClosed: false,
      laterAsks: 0,
      giveUp: () => undefined,
    };
    clientSession.longCalls.push(call);
    if (clientSession.longCalls.length > maxCalls) clientSession.longCalls.shift();
    let isOver = false;
    line.open?.();
    const progressToken = clientSession.open.get(idText(id))?.progressToken;
    // A stream of changes begins with its acknowledgment, and has nothing but changes.
    if (progressToken !== undefined && until === undefined)
      line.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return await new Promise((resolve) => {
      const settle = (isThere: boolean): void => {
        isOver = true;
        cancel();
        this.#running.delete(stop);
        resolve(isThere);
      };
      const stop = (): void => settle(false);
      const cancel = after(ms, () => settle(true));
      this.#running.add(stop);
      call.giveUp = stop;
      void until?.then(() => settle(true));
      void line.over?.then(() => {
        if (isOver) return;
        call.isClosed = true;
        stop();
      });
    });
  }

  /** Ends all of them. */
  end(): void {
    for (const stop of this.#running) stop();
  }
}
