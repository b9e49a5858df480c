import { jsonText } from '../../../json/exact-number.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Bus, SubscriberCount, Unsubscribe } from '../../../storage/bus.ts';
import { beatMs, channelOf, read, silenceMs, type Reply, type OwnerMessage } from './bus.ts';
import type { SuspendedState, CallResumer } from './suspended-call.ts';

/**
 * Resumes a call that another process owns.
 *
 * @returns The state of the call; `undefined` if no process owns it in that round.
 * @throws McpError from the upstream; internalError if the owner stopped responding.
 * @throws An error of the bus.
 */
export async function takeElsewhere(
  bus: Bus,
  { id, round }: { readonly id: string; readonly round: number },
  { responses, resumer }: { readonly responses: JsonObject; readonly resumer: CallResumer },
): Promise<SuspendedState | undefined> {
  const reply = `${channelOf(id)}/${crypto.randomUUID()}`;
  const { meta, logLevel, signal } = resumer;
  const waiting = new Waiting(resumer);
  const tell = async (told: OwnerMessage): Promise<SubscriberCount> => await bus.publish(channelOf(id), jsonText(told));
  // If the owner cannot be notified, it notices when its answer has no receiver.
  const leave = (): void => void tell({ kind: 'leave', reply }).catch(() => undefined);
  const take = async (): Promise<void> => {
    await tell({ kind: 'take', reply, round, responses, meta, logLevel }).then((heard) => waiting.told(heard));
    if (signal.aborted) leave();
  };
  const hear = (text: string): void => {
    try {
      waiting.hear(read<Reply>(text));
    } catch (error) {
      // A bus need not know what to do with it.
      waiting.fail(error);
    }
  };
  const subscribed = subscribe(bus, reply, hear);
  // An error after the end of the wait has no receiver who could act on it.
  subscribed.then(take).catch((error: unknown) => waiting.fail(error));
  signal.addEventListener('abort', leave);
  try {
    return await waiting.standing;
  } finally {
    signal.removeEventListener('abort', leave);
    waiting.end();
    // If unsubscribing fails, later messages for the finished request are ignored.
    void subscribed.then((unsubscribe) => unsubscribe()).catch(() => undefined);
  }
}

/** Subscribes to a bus; an error that it throws at once comes as a rejection as well. */
async function subscribe(bus: Bus, channel: string, hear: (text: string) => void): Promise<Unsubscribe> {
  return await bus.subscribe(channel, hear);
}

const gone = 'the process of the call has ended, and the call may have run; call again only if it may run twice';

/** Waits for the owner of a call while it confirms that it is running. */
class Waiting {
  readonly standing: Promise<SuspendedState | undefined>;
  readonly #resumer: CallResumer;
  #resolve!: (standing: SuspendedState | undefined) => void;
  #reject!: (error: unknown) => void;
  #heard = false;
  #cancel: () => void = () => undefined;

  constructor(resumer: CallResumer) {
    this.#resumer = resumer;
    this.standing = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#patience(beatMs);
  }

  /** The request was published, and reached this many subscribers. */
  told(heard: SubscriberCount): void {
    if (heard === 0) this.#resolve(undefined);
  }

  hear(reply: Reply | undefined): void {
    if (reply === undefined) return;
    this.#heard = true;
    this.#patience(silenceMs);
    if (reply.kind === 'past') this.#resolve(undefined);
    if (reply.kind === 'notification') this.#resumer.send(reply.method, reply.params);
    if (reply.kind === 'standing') this.#resolve(reply.standing);
    if (reply.kind === 'error')
      this.#reject(new McpError(reply.name ?? reply.code, reply.message, { data: reply.data }));
  }

  /** The bus cannot be reached. */
  fail(error: unknown): void {
    this.#reject(error);
  }

  end(): void {
    this.#cancel();
  }

  #patience(ms: number): void {
    this.#cancel();
    this.#cancel = after(ms, () => {
      if (!this.#heard) return this.#resolve(undefined);
      this.#reject(new McpError('internalError', gone));
    });
  }
}
