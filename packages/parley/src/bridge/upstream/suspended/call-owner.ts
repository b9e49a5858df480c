import { jsonText } from '../../../json/exact-number.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import { isWanted, type LoggingLevel } from '../../../protocol/features/logging.ts';
import type { Bus, Unsubscribe } from '../../../storage/bus.ts';
import { wordsOf } from '../../failure.ts';
import { beatMs, channelOf, read, type Reply, type OwnerMessage } from './bus.ts';
import type { SuspendedState, CallResumer } from './suspended-call.ts';

type Take = Extract<OwnerMessage, { kind: 'take' }>;

/** Continues a call; `undefined` if it is past the round and the outcome is not known. */
type TakeUp = (round: number, responses: JsonObject, resumer: CallResumer) => Promise<SuspendedState> | undefined;

/**
 * Limits of the texts, and of the amount of text, that may wait for a slow bus on their way to one request;
 * notifications beyond that are left out.
 */
const maxUnsaid = 1_000;
const maxUnsaidCharacters = 4 * 1024 * 1024;

/** The calls that a process holds answer requests of others. */
export class SuspendedCallOwner {
  readonly #bus: Bus;
  readonly #onWarning: (message: string) => void;

  constructor(bus: Bus, onWarning: (message: string) => void) {
    this.#bus = bus;
    this.#onWarning = onWarning;
  }

  /**
   * Lets a call be taken up from anywhere, until the returned function is called.
   *
   * @throws When the bus cannot be reached.
   */
  async hold(id: string, takeUp: TakeUp): Promise<Unsubscribe> {
    const resumers = new Map<string, AbortController>();
    return await this.#bus.subscribe(channelOf(id), (text) => {
      const told = read<OwnerMessage>(text);
      if (told?.kind === 'leave') resumers.get(told.reply)?.abort(clientLeft());
      if (told?.kind !== 'take') return;
      const left = new AbortController();
      const line = new ReplyLine(this.#bus, told.reply, {
        onWarning: this.#onWarning,
        onNobody: () => left.abort(clientLeft()),
      });
      resumers.set(told.reply, left);
      // It never rejects.
      void serve(told, takeUp, { line, signal: left.signal }).finally(() => resumers.delete(told.reply));
    });
  }
}

async function serve(
  { round, responses, meta, logLevel }: Take,
  takeUp: TakeUp,
  { line, signal }: { readonly line: ReplyLine; readonly signal: AbortSignal },
): Promise<void> {
  let stop = (): void => undefined;
  const beat = (): void => {
    line.tell({ kind: 'alive' });
    stop = after(beatMs, beat);
  };
  beat();
  const admits = (level: LoggingLevel): boolean => isWanted(level, logLevel);
  const send = (method: string, params: JsonObject): void => line.tell({ kind: 'notification', method, params });
  try {
    const standing = await takeUp(round, responses, { meta, logLevel, signal, admits, send });
    line.say(standing === undefined ? { kind: 'past' } : { kind: 'standing', standing });
  } catch (error) {
    const { kind, code, message, data } =
      error instanceof McpError ? error : new McpError('internalError', 'internal error');
    line.say({ kind: 'error', name: kind, code, message, data });
  } finally {
    stop();
  }
}

function clientLeft(): DOMException {
  return new DOMException('the client left', 'AbortError');
}

interface ReplyLineOptions {
  onWarning(message: string): void;
  /** Called when the process of the request is gone, or no longer wants the answer. */
  onNobody(): void;
}

/** The way to one request in another process. */
class ReplyLine {
  readonly #bus: Bus;
  readonly #channel: string;
  readonly #options: ReplyLineOptions;
  #unsaid = 0;
  #unsaidCharacters = 0;

  constructor(bus: Bus, channel: string, options: ReplyLineOptions) {
    this.#bus = bus;
    this.#channel = channel;
    this.#options = options;
  }

  /** Sends a message that the request can do without, in case the bus is slow. */
  tell(reply: Reply): void {
    if (this.#unsaid < maxUnsaid && this.#unsaidCharacters < maxUnsaidCharacters) this.say(reply);
  }

  say(reply: Reply): void {
    // It never rejects.
    void this.#publish(reply);
  }

  async #publish(reply: Reply): Promise<void> {
    const text = jsonText(reply);
    this.#unsaid++;
    this.#unsaidCharacters += text.length;
    try {
      if ((await this.#bus.publish(this.#channel, text)) === 0) this.#options.onNobody();
    } catch (error) {
      this.#options.onWarning(`an answer to a request in another process was not delivered: ${wordsOf(error)}`);
    } finally {
      this.#unsaid--;
      this.#unsaidCharacters -= text.length;
    }
  }
}
