/** A server that is nothing but JSON, for a bridge to stand before: it says of itself what it is told to. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import {
  scriptedTransport,
  type ScriptedKind,
  type ScriptedPeer,
  type ScriptedTransport,
  type SentMessage,
} from '../../packages/parley/src/testing/scripted.ts';
import { shakesHands } from './bridged.ts';
import type { Json } from './raw.ts';

/** What a scripted server does. */
export interface Scripted {
  /** The revision that it speaks. */
  readonly up: RevisionDate;
  /** Kind of its transport; a plain stream of messages by default. */
  readonly kind?: ScriptedKind;
  readonly capabilities?: Json;
  readonly instructions?: string;
  readonly serverInfo?: Json;
  /** Answers by method, `undefined` for responses: a result, or whatever the function does with the peer. */
  readonly answers?: Readonly<Record<string, Json | ((sent: SentMessage, peer: ScriptedPeer) => void)>>;
}

/** Makes the transport that reaches it. What has no answer is not found; lists are empty. */
export function scriptedUpstream(script: Scripted): ScriptedTransport {
  return scriptedTransport(script.kind ?? 'memory', (sent, peer) => {
    const method = String(sent.message['method']);
    const told = script.answers?.[method];
    if (sent.message['id'] === undefined) {
      if (typeof told === 'function') told(sent, peer);
      return;
    }
    const answer = told ?? opening(script, method);
    if (typeof answer === 'function') answer(sent, peer);
    else if (answer === undefined) peer.refuse(sent, { code: -32601, message: `no ${method}` });
    else
      peer.reply(
        sent,
        shakesHands(script.up) ? answer : { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...answer },
      );
  });
}

/** The last request of a method that it got, with its params. */
export function paramsSent(transport: ScriptedTransport, method: string): Json {
  const params = transport.sent.findLast(({ message }) => message['method'] === method)?.message['params'];
  return isObject(params) ? params : {};
}

const everything = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };

function opening(
  { up, capabilities = everything, instructions, serverInfo }: Scripted,
  method: string,
): Json | undefined {
  const info = { name: 'scripted', version: '1', ...serverInfo };
  const said = { capabilities, ...(instructions === undefined ? {} : { instructions }) };
  const stateless = !shakesHands(up);
  if (method === 'initialize' && !stateless) return { protocolVersion: up, serverInfo: info, ...said };
  if (method === 'server/discover' && stateless)
    return { supportedVersions: [up], ...said, _meta: { [metaKey.serverInfo]: info } };
  if (method === 'tools/list') return { tools: [] };
  return method === 'logging/setLevel' && !stateless ? {} : undefined;
}
