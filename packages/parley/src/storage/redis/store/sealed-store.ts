import { createSeal, type Seal } from '../../../sealing/seal.ts';
import type { SealingKeys } from '../../../sealing/sealing-key.ts';
import { maxBusTextLength, type CountingBus } from '../../bus.ts';
import { maxRecordLength, type Records } from '../../records.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { StoreError, type Store } from '../../store.ts';
import type { StreamLog } from '../../stream-log.ts';

/** The longest text about a stream, in characters. */
const maxAboutLength = 65_536;

/** Times that a text may be longer once it is sealed: three bytes for a character, in base64, and more. */
export const sealedRoom = 5;

/**
 * Seals the texts of a store (AES-256-GCM), each bound to its kind and its key, so that none can replace another. A
 * text that does not open counts as missing. The limits apply to texts before they are sealed. The inner store must
 * accept the larger sealed texts.
 */
export function sealedStore<Inside extends Store>(store: Inside, keys: SealingKeys): Inside {
  const seal = createSeal(keys, { purpose: 'store' });
  return {
    ...store,
    records: sealedRecords(store.records, seal),
    events: { open: (session) => sealedLog(store.events.open(session), session, seal) },
    bus: sealedBus(store.bus, seal),
  };
}

function sealedRecords(records: Records, seal: Seal): Records {
  const sealed = async (key: string, text: string): Promise<string> => {
    refuseLonger(text, maxRecordLength, 'a record');
    return await seal.seal(text, bound('record', key));
  };
  /**
   * Seals a record with the newest key, since a record in long use may outlive the key that sealed it. False if it has
   * the newest key already, or another process was faster.
   */
  const sealAnew = async (key: string, ttlMs: number): Promise<boolean> => {
    const kept = await records.get(key);
    if (kept === undefined || (await seal.isNewest(kept.text))) return false;
    const text = await seal.open(kept.text, bound('record', key));
    return text !== undefined && (await records.put(key, await sealed(key, text), ttlMs, kept.version)) !== undefined;
  };
  return {
    add: async (key, text, ttlMs) => await records.add(key, await sealed(key, text), ttlMs),
    async get(key) {
      const kept = await records.get(key);
      if (kept === undefined) return undefined;
      const text = await seal.open(kept.text, bound('record', key));
      return text === undefined ? undefined : { text, version: kept.version };
    },
    put: async (key, text, ttlMs, version) => await records.put(key, await sealed(key, text), ttlMs, version),
    async touch(key, ttlMs) {
      // If it cannot be sealed again now, its lifetime is extended all the same.
      const isAnew = await sealAnew(key, ttlMs).catch(() => false);
      return isAnew || (await records.touch(key, ttlMs));
    },
    delete: (key) => records.delete(key),
  };
}

function sealedLog(log: StreamLog, session: string, seal: Seal): StreamLog {
  const opened = async (texts: readonly string[], boundTo: string): Promise<readonly string[] | undefined> => {
    const plain = await Promise.all(texts.map((text) => seal.open(text, boundTo)));
    const whole = plain.filter((text) => text !== undefined);
    return whole.length === plain.length ? whole : undefined;
  };
  return {
    async write(stream, about, mark) {
      refuseLonger(about, maxAboutLength, 'the description of a stream');
      const boundTo = bound('event', session, stream);
      const inOrder = turns();
      const writer = await log.write(stream, await seal.seal(about, boundTo), mark);
      return {
        get mark() {
          return writer.mark;
        },
        append: (data, last) => inOrder(seal.seal(data, boundTo), (sealed) => writer.append(sealed, last)),
      };
    },
    async read(stream, after) {
      const rest = await log.read(stream, after);
      if (rest === undefined) return undefined;
      const texts = await opened([rest.about, ...rest.events.map(({ data }) => data)], bound('event', session, stream));
      if (texts === undefined) return undefined;
      const [about = '', ...data] = texts;
      return { ...rest, about, events: rest.events.map(({ number }, at) => ({ number, data: data[at] ?? '' })) };
    },
    clear: () => log.clear(),
  };
}

function sealedBus(bus: CountingBus, seal: Seal): CountingBus {
  const inOrder = turns();
  return {
    publish(channel, text) {
      refuseLonger(text, maxBusTextLength, 'a text on the bus');
      return inOrder(seal.seal(text, bound('bus', channel)), (sealed) => bus.publish(channel, sealed));
    },
    // An ordinary subscriber of a bus needs no gap notice.
    subscribe(channel, hear, onGap = () => undefined) {
      const heardInOrder = turns();
      const open = (sealed: string): void => {
        // A text that does not open counts as missed, and so do texts from a time without keys.
        const opening = seal.open(sealed, bound('bus', channel)).catch(() => undefined);
        void heardInOrder(opening, (text) => (text === undefined ? onGap() : hear(text)));
      };
      return bus.subscribe(channel, open, onGap);
    },
  };
}

/** Handles ready values in the order in which they were begun, without waiting for the outcome. */
function turns(): <Ready, Result>(
  ready: Promise<Ready>,
  proceed: (ready: Ready) => MaybePromise<Result>,
) => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  return async (ready, proceed) => {
    const mine = Promise.all([ready, before]);
    before = mine.catch(() => undefined);
    const [value] = await mine;
    return await proceed(value);
  };
}

function refuseLonger(text: string, longest: number, what: string): void {
  if (text.length > longest)
    throw new StoreError('too-large', `${what} has up to ${longest} characters, not ${text.length}`);
}

function bound(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
