import { toJson } from '../../../../../jsonrpc/encode.ts';
import type { StreamMaker } from '../../exchanges/long-stream.ts';
import { addNewest } from '../../../../../jsonrpc/newest.ts';
import type { RequestId, ResponseMessage } from '../../../../../jsonrpc/message.ts';
import type { StoredEvent, StreamWriter } from '../../../../../storage/stream-log.ts';
import { ownerOf } from '../../../../../auth/common/owner.ts';
import type { HttpSession } from '../session.ts';
import { ofSharedStores, ReportRoom } from '../report-room.ts';
import { hasNoEvents, positionOf, written, type LongStreams, type Resumption } from '../stream.ts';
import { aboutAnswer, aboutSession } from './about-stream.ts';
import type { OpeningStream } from '../sessions-elsewhere.ts';
import type { OwnerRooms } from '../../../../../storage/memory/owner-rooms.ts';
import { unlessFenced } from './stored-events.ts';
import { SharedStream, type RemoteReader } from './shared-stream.ts';
import { StreamReader, type StreamReaderParts } from './stream-reader.ts';
import type { ToldProcess } from './replica-messages.ts';

/** Limit of streams that are remembered after their end because the store may not have the whole of them. */
const maxUnkept = 64;

/** Parts of the streams of a session that any process may continue. */
export interface SharedStreamsParts extends StreamReaderParts {
  readonly resumption: 'event-ids' | 'polling';
  /** Room in the store for the events of one owner. Without it, everything is stored. */
  readonly rooms?: OwnerRooms;
  /** Client of the session. */
  readonly from?: Pick<HttpSession, 'auth' | 'address'> | undefined;
  /** Takes the GET stream from its holder; `undefined` if another process was faster. */
  claim(): Promise<OpeningStream | undefined>;
}

/** A stream that continues here. */
interface Live {
  readonly stream: SharedStream;
  /** The requests that it answers; `undefined` for the GET stream. */
  readonly answers: readonly RequestId[] | undefined;
}

/** The parts of a stream that begins or continues here. */
interface Begun {
  readonly about: string;
  readonly answers?: readonly RequestId[];
  readonly name?: string;
  readonly writer?: { readonly writer: StreamWriter; readonly last: number };
}

/** The event streams of one session that are written in this process, and the way to those of others. */
export class SharedStreams implements LongStreams {
  readonly #parts: SharedStreamsParts;
  readonly #live = new Map<string, Live>();
  readonly #reports: ReportRoom;

  /** Streams that ended here and whose clients may have events that the store lacks, or has under another number. */
  readonly #unkept = new Set<string>();

  constructor(parts: SharedStreamsParts) {
    this.#parts = parts;
    this.#reports = new ReportRoom(parts.settings.now, ofSharedStores);
  }

  get resumption(): 'event-ids' | 'polling' {
    return this.#parts.resumption;
  }

  /** Resolves when everything so far is stored and written. */
  get flushed(): Promise<unknown> {
    return Promise.all([...this.#live.values()].map(({ stream }) => stream.flushed));
  }

  begin(): SharedStream {
    return this.#begin({ about: aboutSession });
  }

  answering(requests: readonly RequestId[]): StreamMaker {
    return { begin: () => this.#begin({ about: aboutAnswer(requests), answers: requests }) };
  }

  async resume(lastEventId: string): Promise<Resumption | undefined> {
    const position = positionOf(lastEventId);
    if (position === undefined) return undefined;
    const { log } = this.#parts;
    const here = this.#live.get(position.stream);
    if (here !== undefined) return await here.stream.resume(position.number);
    if (this.#unkept.has(position.stream)) return undefined;
    const rest = await log.read(position.stream, position.number);
    if (rest === undefined) return undefined;
    if (rest.about === aboutSession && !rest.complete) return await this.#move(position.stream, position.number);
    // An ended stream without events, for example of a stopped process, has nothing to resume: its client begins
    // another.
    const hasNothing = hasNoEvents(rest.events);
    if (rest.about === aboutSession && hasNothing) return undefined;
    return {
      stream: undefined,
      isOver: rest.complete && hasNothing,
      connect: (connection) => void new StreamReader(this.#parts, position, connection).run(rest),
      drop: () => undefined,
    };
  }

  /** Lets another process read a stream that is written here. The reader learns if that is not the case. */
  readBy(told: ToldProcess & { readonly kind: 'reading' }): void {
    const reader: RemoteReader = { line: told.line, tell: (reply) => this.#parts.mailbox.reply(told, reply) };
    const here = this.#live.get(told.stream);
    if (here === undefined) void reader.tell(this.#unkept.has(told.stream) ? 'not-kept' : 'not-here');
    else here.stream.readBy(reader, told.isAgain === true);
  }

  /** Ends the streams that are written here. Waiting clients learn that no answer comes. */
  end(last: (id: RequestId) => ResponseMessage): void {
    for (const { stream, answers } of this.#live.values()) {
      const [id, ...others] = answers ?? [];
      if (answers === undefined) stream.leave();
      // The responses of a batch were sent by then.
      else if (others.length > 0) stream.end();
      else stream.end(id === undefined ? undefined : toJson(last(id)));
    }
  }

  /** Continues the GET stream here. Its previous writer stops. */
  async #move(name: string, number: number): Promise<Resumption | undefined> {
    const opening = await this.#parts.claim();
    if (opening === undefined) return undefined;
    const stream = await this.#carriedOn(name, number).catch((error: unknown) => {
      opening.over();
      throw error;
    });
    if (stream === undefined) {
      opening.over();
      return undefined;
    }
    return {
      stream: stream.here,
      isMoved: true,
      connect: (connection) => {
        // Another process has it, or a later request that came here.
        if (opening.isLost || stream.here.ended) {
          stream.here.leave();
          connection.end();
        } else {
          connection.replay(written(name, stream.missed));
          stream.here.carryOn(connection);
        }
        opening.over();
      },
      drop: () => {
        stream.here.leave();
        opening.over();
      },
    };
  }

  /** Makes this process the writer of a stream, with what followed an event. */
  async #carriedOn(
    name: string,
    number: number,
  ): Promise<{ readonly here: SharedStream; readonly missed: readonly StoredEvent[] } | undefined> {
    const { log } = this.#parts;
    // It may have ended since it was read.
    const writer = await Promise.resolve(log.write(name, aboutSession)).catch(unlessFenced);
    if (writer === undefined) return undefined;
    const rest = await log.read(name, number);
    if (rest === undefined) return undefined;
    const last = number + rest.events.length;
    return { here: this.#begin({ about: aboutSession, name, writer: { writer, last } }), missed: rest.events };
  }

  #begin({ about, answers, name = this.#newName, writer }: Begun): SharedStream {
    const { log, settings, resumption, rooms, from } = this.#parts;
    const stream = new SharedStream({
      reports: this.#reports,
      hasRoom: (length) => rooms?.take(ownerOf(from?.auth?.principal, from?.address), length) ?? true,
      name,
      log,
      about,
      settings,
      polling: resumption === 'polling',
      writer,
      onEnd: (ended) => {
        if (this.#live.get(name)?.stream === ended) this.#live.delete(name);
        if (!ended.isKept) addNewest(this.#unkept, maxUnkept, name);
      },
    });
    this.#live.get(name)?.stream.leave();
    this.#live.set(name, { stream, answers });
    return stream;
  }

  get #newName(): string {
    const { mailbox } = this.#parts;
    return `${mailbox.name}-${mailbox.next()}`;
  }
}
