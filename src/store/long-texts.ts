import { longestBusText, type Bus } from './bus.ts';
import { longestRecord, type Records } from './records.ts';
import { StoreError, type Store } from './store.ts';
import { Turns } from './turns.ts';

/** Time that a text waits for those who were told of it, in milliseconds. */
const waitMs = 60_000;

/** The most records of one text. */
const mostRecords = 32;

/** The first character of what is published: the text itself, or the keys of the records that hold it. */
const itself = 't';
const inRecords = 'r';

/**
 * Makes a bus of a store's that carries texts of any length: long ones travel as records. Their order is kept, and one whose record cannot be read is a
 * gap for whom it was meant.
 */
export function busOfLongTexts({ bus, records }: Pick<Store, 'bus' | 'records'>): Bus {
  const sending = new Turns();
  return {
    publish: (channel, text) =>
      sending.run(channel, async () => {
        const sent = text.length < longestBusText ? itself + text : inRecords + (await keptIn(records, text));
        return await bus.publish(channel, sent);
      }),
    subscribe: async (channel, hear, onGap = () => undefined) => {
      const hearing = new Turns();
      let ended = false;
      const take = async (sent: string): Promise<void> => {
        const text = await foundIn(records, sent).catch(() => undefined);
        // What a listener throws is in nobody's way.
        queueMicrotask(() => {
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
async function keptIn(records: Records, text: string): Promise<string> {
  if (text.length > mostRecords * longestRecord)
    throw new StoreError('too-large', `a text has up to ${mostRecords * longestRecord} characters, not ${text.length}`);
  const keys: string[] = [];
  for (let from = 0; from < text.length; from += longestRecord) {
    const key = `bus ${crypto.randomUUID()}`;
    await records.add(key, text.slice(from, from + longestRecord), waitMs);
    keys.push(key);
  }
  return JSON.stringify(keys);
}

/** The text that was sent; `undefined` where something of it is gone, or it is none of ours. */
async function foundIn(records: Records, sent: string): Promise<string | undefined> {
  if (!sent.startsWith(inRecords)) return sent.slice(itself.length);
  const keys: unknown = JSON.parse(sent.slice(inRecords.length));
  if (!Array.isArray(keys) || keys.length > mostRecords) return undefined;
  const parts = await Promise.all(keys.map(async (key: unknown) => await records.get(String(key))));
  return parts.every((part) => part !== undefined) ? parts.map((part) => part.text).join('') : undefined;
}
