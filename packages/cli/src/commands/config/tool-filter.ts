/** The tools of a server that a file of a host leaves out. */

import { addNewest } from '../../../../parley/src/jsonrpc/newest.ts';
import {
  isObject,
  isResponse,
  spelledNumber,
  type Message,
  type RequestMessage,
} from '../../../../parley/src/jsonrpc/message.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { withSend } from '../with-send.ts';
import type { ConfigKeys } from './read.ts';

/** Limit of pending list requests. A cancelled one is never answered. */
const maxLists = 1_000;

/** Tells whether a tool is offered. */
export type ToolFilter = (name: string) => boolean;

/** Keys of hosts that name tools: Windsurf, Kiro and Amazon Q, Gemini CLI, Codex, Copilot. */
const left = ['disabledTools', 'excludeTools', 'disabled_tools'];
const kept = ['enabledTools', 'includeTools', 'enabled_tools', 'tools'];

/** Reads the tools that an entry names; `undefined` where all are offered. */
export function toolFilterOf(keys: ConfigKeys): ToolFilter | undefined {
  // Gemini CLI allows arguments behind a name.
  const named = (names: readonly string[]): readonly string[] | undefined => {
    const lists = names.flatMap((name) => keys.texts(name) ?? []);
    return names.some((name) => keys.value(name) !== undefined)
      ? lists.map((text) => text.replace(/\(.*$/s, '').trim())
      : undefined;
  };
  const tools = keys.value('tools');
  // An object has settings of tools by name, as in Codex.
  const off = isObject(tools) ? Object.keys(tools).filter((name) => isOff(tools[name])) : [];
  const [out, only] = [[...off, ...(named(left) ?? [])], named(isObject(tools) ? kept.slice(0, -1) : kept)];
  if (out.length === 0 && (only === undefined || only.includes('*'))) return undefined;
  return (name) => !out.includes(name) && (only === undefined || only.includes('*') || only.includes(name));
}

function isOff(settings: unknown): boolean {
  return settings === false || (isObject(settings) && (settings['enabled'] === false || settings['disabled'] === true));
}

/** The same way to a server, which offers some of its tools. */
export function filtered(transport: Transport, offers: ToolFilter): Transport {
  return {
    ...transport,
    async open(receiver) {
      const lists = new Set<unknown>();
      const shown = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(shown);
        // A request of the server may have the same id. Some servers repeat an id as text.
        if (!isResponse(value)) return value;
        const { id } = value;
        return lists.delete(id) || lists.delete(spelledNumber(id)) ? listed(value, offers) : value;
      };
      const channel = await transport.open({
        ...receiver,
        message: (value, about) => receiver.message(shown(value), about),
      });
      return withSend(channel, async (message, options) => {
        const rest = [message].flat().filter((one) => !isOutside(one, offers));
        for (const one of [message].flat()) if (isOutside(one, offers)) receiver.message(refusal(one));
        for (const one of rest)
          if ('method' in one && 'id' in one && one.method === 'tools/list') addNewest(lists, maxLists, one.id);
        const [first] = rest;
        if (first !== undefined) await channel.send(Array.isArray(message) ? rest : first, options);
      });
    },
  };
}

function listed(value: Readonly<Record<string, unknown>>, offers: ToolFilter): unknown {
  const { result } = value;
  if (!isObject(result) || !Array.isArray(result['tools'])) return value;
  const tools = result['tools'].filter((tool: unknown) => !isObject(tool) || offers(String(tool['name'])));
  return { ...value, result: { ...result, tools } };
}

/** True for a call of a tool that is not offered. */
function isOutside(message: Message, offers: ToolFilter): message is RequestMessage {
  if (!('method' in message) || !('id' in message) || message.method !== 'tools/call') return false;
  const name = message.params?.['name'];
  return typeof name === 'string' && !offers(name);
}

/** The answer of a server that has no such tool. (Spec 2025-11-25, Tools, Error Handling.) */
function refusal({ id, params }: RequestMessage): unknown {
  return { jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${String(params?.['name'])}` } };
}
