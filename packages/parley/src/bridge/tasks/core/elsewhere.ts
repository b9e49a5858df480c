/** Results that other processes of the bridge hold, and answers to what their tasks ask. */

import { jsonText } from '../../../json/exact-number.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { Bus, Unsubscribe } from '../../../storage/bus.ts';
import { beatMs, read } from '../../upstream/suspended/bus.ts';
import { heldChannels } from '../task-forms.ts';

/** Message to the process that holds a result: to read the questions, or to answer them. */
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
  /** Returns the questions, once there are any. */
  look(): Promise<JsonObject>;
  /** Takes answers to questions of this process; `undefined` if there are none. */
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
 * @param responses Answers for it; left out to read the questions.
 * @returns The questions that are open there; `undefined` if no process holds the result.
 * @throws An error of the bus.
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
    // If unsubscribing fails, later messages for the finished request are ignored.
    void Promise.resolve(unsubscribe()).catch(() => undefined);
  }
}

/** Channel of a task. It has a hash, since the id is a key and the operator of the bus can see channels. */
async function channelOf(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const text = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return heldChannels + text;
}
