import { microtask } from '../jsonrpc/timeout.ts';
import { maxBusTextLength, type Bus } from './bus.ts';
import { maxRecordLength, type Records } from './records.ts';
import { StoreError, type Store } from './store.ts';
import { Turns } from './turns.ts';

/** Lifetime of a long text for its receivers, in milliseconds. */
const waitTimeoutMs = 60_000;

/** The most records of one text. */
const maxRecords = 32;

/** Beginning of the keys of such records. */
const begins = 'bus ';

/** The first character of a message: it holds the text itself, or the keys of its records. */
const itself = 't';
const inRecords = 'r';

/**
 * Makes a bus for texts of any length: long ones are stored as records. The order is kept. If a record cannot be read,
 * its receivers get a gap.
 *
 * @param isOfOne Tells whether a channel has at most one listener; by default none has. Its reader deletes the text, so
 *   that a store keeps none
 * for longer than needed.
 */
export function busOfLongTexts(
  { bus, records }: Pick<Store, 'bus' | 'records'>,
  isOfOne: (channel: string) => boolean = () => false,
): Bus {
  const sending = new Turns();
  return {
    publish: (channel, text) =>
      sending.run(channel, async () => {
        if (text.length < maxBusTextLength) return await bus.publish(channel, itself + text);
        const keys = await keptIn(records, text);
        const heard = await bus.publish(channel, inRecords + JSON.stringify(keys));
        // The text has no receiver. A repetition stores it again.
        if (heard === 0) void forgotten(records, keys);
        return heard;
      }),
    subscribe: async (channel, hear, onGap = () => undefined) => {
      const hearing = new Turns();
      let ended = false;
      const take = async (sent: string): Promise<void> => {
        const text = await foundIn(records, sent, isOfOne(channel)).catch(() => undefined);
        // An error of one listener does not affect others.
        microtask(() => {
          if (ended) return;
          if (text === undefined) onGap();
          else hear(text);
        });
      };
      const end = await bus.subscribe(channel, (sent) => void hearing.run('', () => take(sent)), onGap);
      return () => {
        ended = true;
        return end();
      };
    },
  };
}

/** Keeps a long text, and gives the keys of its parts. */
async function keptIn(records: Records, text: string): Promise<readonly string[]> {
  if (text.length > maxRecords * maxRecordLength)
    throw new StoreError(
      'too-large',
      `a text has up to ${maxRecords * maxRecordLength} characters, not ${text.length}`,
    );
  const keys: string[] = [];
  for (let from = 0; from < text.length;) {
    const part = wellFormed(text.slice(from, from + maxRecordLength));
    const key = begins + crypto.randomUUID();
    await records.add(key, part, waitTimeoutMs);
    keys.push(key);
    from += part.length;
  }
  return keys;
}

/** A part of a text without half of a pair of surrogates at its end, which belongs to the next part: a store keeps well-formed text alone. */
function wellFormed(part: string): string {
  const last = part.charCodeAt(part.length - 1);
  return part.length === maxRecordLength && last >= 0xd800 && last <= 0xdbff ? part.slice(0, -1) : part;
}

async function forgotten(records: Records, keys: readonly string[]): Promise<void> {
  // They go by themselves as well.
  await Promise.allSettled(keys.map(async (key) => await records.delete(key)));
}

/** The original text; `undefined` if a part of it is gone, or it is foreign. */
async function foundIn(records: Records, sent: string, isLast: boolean): Promise<string | undefined> {
  if (!sent.startsWith(inRecords)) return sent.slice(itself.length);
  const keys: unknown = JSON.parse(sent.slice(inRecords.length));
  // One more than there are of the longest text, where each ends before a pair.
  if (!Array.isArray(keys) || keys.length > maxRecords + 1) return undefined;
  const parts = await Promise.all(
    keys.map(async (key: unknown) => (isRecord(String(key)) ? await records.get(String(key)) : undefined)),
  );
  if (isLast) void forgotten(records, keys.map(String).filter(isRecord));
  return parts.every((part) => part !== undefined) ? parts.map((part) => part.text).join('') : undefined;
}

/** Tells whether a key belongs to such records: no other keys may be read or deleted here. */
function isRecord(key: string): boolean {
  return key.startsWith(begins);
}
