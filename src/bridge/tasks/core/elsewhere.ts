/** Results that other processes of the bridge hold, and answers to what their tasks ask. */

import { jsonText } from '../../../json/exact-number.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Bus, Unsubscribe } from '../../../storage/bus.ts';
import { beatMs, read } from '../../upstream/parked/bus.ts';
import { heldChannels } from '../between.ts';

/** Request to the process that holds a result: to know what is asked, or to have it answered. */
interface Told {
  readonly kind: 'look' | 'answer';
  readonly reply: string;
  readonly responses?: JsonObject;
}

/** Answer of the holder: the questions that are open. */
interface Held {
  readonly kind: 'held';
  readonly inputRequests: JsonObject;
}

/** One result, as the process that holds it shares it. */
export interface ResultInReach {
  /** Tells what is asked, once there is something. */
  look(): Promise<JsonObject>;
  /** Takes answers to what was asked here; `undefined` where nothing of it was. */
  take(responses: JsonObject): JsonObject | undefined;
}

/** Lets other processes reach a result until the returned function is called. @throws When the bus cannot be reached. */
export async function shareResult(
  bus: Bus,
  id: string,
  { look, take, onFailure }: ResultInReach & { onFailure(error: unknown): void },
): Promise<Unsubscribe> {
  const serve = async ({ kind, reply, responses }: Told): Promise<void> => {
    const inputRequests = kind === 'look' ? await look() : take(isObject(responses) ? responses : {});
    if (inputRequests === undefined) return;
    const held: Held = { kind: 'held', inputRequests };
    await bus.publish(reply, jsonText(held));
  };
  return await bus.subscribe(await channelOf(id), (text) => {
    const told = read<Told>(text);
    if (told?.kind === 'look' || told?.kind === 'answer') serve(told).catch(onFailure);
  });
}

/**
 * Asks the process that holds a result.
 *
 * @param responses Answers for it; left out to see what is asked.
 * @returns The questions that are open there; `undefined` when no process holds the result.
 * @throws What the bus throws.
 */
export async function reachHolder(bus: Bus, id: string, responses?: JsonObject): Promise<JsonObject | undefined> {
  const channel = await channelOf(id);
  const reply = `${channel}/${crypto.randomUUID()}`;
  let hear: (held: Held | undefined) => void = () => undefined;
  const heard = new Promise<Held | undefined>((resolve) => (hear = resolve));
  const unsubscribe = await bus.subscribe(reply, (text) => {
    const held = read<Held>(text);
    if (held?.kind === 'held' && isObject(held.inputRequests)) hear(held);
  });
  const cancel = after(beatMs, () => hear(undefined));
  try {
    const told: Told = responses === undefined ? { kind: 'look', reply } : { kind: 'answer', reply, responses };
    if ((await bus.publish(channel, jsonText(told))) === 0) return undefined;
    return (await heard)?.inputRequests;
  } finally {
    cancel();
    // A subscription that cannot be ended hears of a request that is over, and nobody listens.
    void Promise.resolve(unsubscribe()).catch(() => undefined);
  }
}

/** Channel of a task: its id is a key, and a channel is seen by whoever runs the bus. */
async function channelOf(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const text = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return heldChannels + text;
}
