/** Verbs by which a person uses a server. */

import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { withPlainNumbers } from '../../../../parley/src/json/exact-number.ts';
import { JsonError } from '../../../../parley/src/json/parse.ts';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { tasksExtension } from '../../../../parley/src/protocol/features/tasks.ts';
import { loggingLevels, type LoggingLevel } from '../../../../parley/src/protocol/features/logging-level.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';
import { problemsOf } from '../servers/calls.ts';
import type { InspectedServer } from '../servers/inspected.ts';
import { listNamed } from '../servers/lists.ts';
import type { InspectedServers } from '../servers/servers.ts';
import type { CallKind, ProblemView } from '../view.ts';
import { lineOfCall } from '../wire/call-line.ts';
import { verb } from './verb.ts';

const kinds: readonly CallKind[] = ['tool', 'task', 'prompt', 'resource', 'request'];

const methods: Readonly<Record<Exclude<CallKind, 'request'>, string>> = {
  tool: 'tools/call',
  task: 'tools/call',
  prompt: 'prompts/get',
  resource: 'resources/read',
};

/** Methods of requests that may be written by hand where tools are not called. */
const harmless: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'tasks/list',
  'tasks/get',
]);

/** Methods by which a client lives, which it sends by itself and answers for. */
const ofTheClient: ReadonlySet<string> = new Set(['initialize', 'subscriptions/listen']);

/** Completions that are asked for; the specification has no more in one answer. */
const maxCompletions = 100;

/** Verbs by their names. */
type Named = readonly (readonly [string, Verb])[];

/** Makes the verbs of use. */
export function usingVerbs(servers: InspectedServers, { isReadOnly }: { readonly isReadOnly: boolean }): Named {
  return [
    ['lists', verb({ server: 'text' }, ({ server }) => servers.get(server).lists())],
    ['more', verb({ server: 'text', list: 'text' }, ({ server, list }) => servers.get(server).moreOf(listNamed(list)))],
    [
      'pages-by-one',
      verb({ server: 'text', on: 'flag' }, ({ server, on }) => {
        servers.get(server).readByOne(on);
        return {};
      }),
    ],
    ['call', callVerb(servers, isReadOnly)],
    ...callVerbs(servers),
    ...typingVerbs(servers),
    ...settingVerbs(servers),
  ];
}

function callVerb(servers: InspectedServers, isReadOnly: boolean): Verb {
  const fields = { server: 'text', kind: 'text', name: 'text', text: 'text', ttl: 'number?' } as const;
  return verb(fields, async ({ server: id, kind: word, name: shown, text, ttl }) => {
    const kind = kinds.find((one) => one === word);
    if (kind === undefined) throw new VerbError(400, `there is no kind ${word}`);
    const isTool = kind === 'tool' || kind === 'task';
    if (isReadOnly && (isTool || (kind === 'request' && !harmless.has(shown))))
      throw new VerbError(403, `${isTool ? 'tools are' : `${shown} is`} not called: this was started with --read-only`);
    if (kind === 'request' && (shown === '' || ofTheClient.has(shown)))
      throw new VerbError(
        400,
        shown === '' ? 'a request has a method' : `${shown} is what the connection itself sends`,
      );
    const server = servers.get(id);
    const { client } = server;
    const name = server.named(shown);
    const tool = isTool ? await server.tool(name) : undefined;
    const call = servers.calls.begin(client, {
      server: id,
      kind,
      name,
      text,
      value: objectOf(text),
      outputSchema: tool?.['outputSchema'],
      logLevel: server.view.logLevel === '' ? undefined : server.view.logLevel,
      ttlMs: ttl ?? server.plan.wishes?.taskTtlMs,
      mayBeTask: mayBeTask(client, tool),
      timeoutMs: server.plan.wishes?.requestTimeoutMs,
      meta: server.plan.wishes?.metadata,
      hidden: (words) => server.recorder.hidden(words),
      shown: (value) => server.recorder.shown(value),
      rowSince: (began) => server.rowSince(kind === 'request' ? name : methods[kind], began),
    });
    return { call: call.id };
  });
}

/** Tells whether a plain call of a tool may be answered with a task: it must be one, or the server decides it by itself. */
function mayBeTask(client: Client, tool: Readonly<Record<string, unknown>> | undefined): boolean {
  if (client.capabilities.extensions?.[tasksExtension] !== undefined) return true;
  const { execution } = tool ?? {};
  return client.capabilities.tasks !== undefined && isObject(execution) && execution['taskSupport'] === 'required';
}

function callVerbs(servers: InspectedServers): Named {
  return [
    [
      'call-line',
      verb({ server: 'text', name: 'text', text: 'text' }, ({ server: id, name, text }) => {
        const { plan, recorder } = servers.get(id);
        const line = lineOfCall(name, objectOf(text), plan.line);
        if (line === undefined) throw new VerbError(409, `no line of parley call has a tool whose name is ${name}`);
        return { line: recorder.hidden(line) };
      }),
    ],
    ['outcome', verb({ call: 'number' }, ({ call }) => ({ outcome: servers.calls.outcome(call) ?? null }))],
    [
      'cancel',
      verb({ call: 'number' }, ({ call }) => {
        servers.calls.cancel(call);
        return {};
      }),
    ],
  ];
}

function typingVerbs(servers: InspectedServers): Named {
  const fields = { server: 'text', ref: 'object', argument: 'text', typed: 'text', context: 'object?' } as const;
  return [
    [
      'validate',
      verb({ server: 'text', tool: 'text', text: 'text' }, async ({ server, tool, text }) => ({
        problems: await argumentProblems(servers.get(server), tool, text),
      })),
    ],
    [
      'complete',
      verb(fields, async ({ server, ref, argument, typed, context }, { signal }) => {
        const { client, recorder } = servers.get(server);
        if (client.capabilities.completions === undefined) return { values: [] };
        const known = Object.entries(context ?? {}).flatMap(([key, value]) =>
          typeof value === 'string' ? [[key, value] as const] : [],
        );
        const before = { arguments: Object.fromEntries(known) };
        const asked = { name: argument, value: typed };
        const { completion } = await client.complete(refOf(servers.get(server), ref), asked, {
          signal,
          context: before,
        });
        return { values: recorder.shown(completion.values.slice(0, maxCompletions)) };
      }),
    ],
  ];
}

function settingVerbs(servers: InspectedServers): Named {
  return [
    [
      'watch',
      verb({ server: 'text', uri: 'text', on: 'flag' }, async ({ server, uri, on }) => {
        const watching = servers.get(server);
        await watching.watch(watching.named(uri), on);
        return {};
      }),
    ],
    [
      'roots',
      verb({ server: 'text', roots: 'list' }, async ({ server, roots }) => {
        await servers.get(server).setRoots(roots.map(rootOf));
        return {};
      }),
    ],
    [
      'log-level',
      verb({ server: 'text', level: 'text' }, async ({ server, level }) => {
        await servers.get(server).setLogLevel(levelOf(level));
        return {};
      }),
    ],
  ];
}

/** A chosen level; empty for none. @throws VerbError for an invalid one. */
function levelOf(text: string): LoggingLevel | '' {
  const level = loggingLevels.find((known) => known === text) ?? '';
  if (level !== text) throw new VerbError(400, `a level is one of ${loggingLevels.join(', ')}`);
  return level;
}

/** Typed arguments; empty text is an empty object. @throws VerbError if it is not an object. */
function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value = text.trim() === '' ? {} : valueOf(text);
  if (!isObject(value)) throw new VerbError(400, 'arguments are an object');
  return value;
}

/** Numbers keep their text. @throws VerbError if it is not JSON. */
function valueOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new VerbError(400, `this is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

async function argumentProblems(server: InspectedServer, name: string, text: string): Promise<readonly ProblemView[]> {
  const tool = await server.tool(server.named(name));
  if (tool === undefined) throw new VerbError(404, 'the tool does not exist any more');
  let value: unknown;
  try {
    value = withPlainNumbers(objectOf(text));
  } catch (error) {
    if (error instanceof VerbError) return [{ path: '', message: error.message }];
    throw error;
  }
  return await problemsOf(tool['inputSchema'], value);
}

type Ref = Parameters<InspectedServer['client']['complete']>[0];

function refOf(server: InspectedServer, { type, name, uri }: Readonly<Record<string, unknown>>): Ref {
  if (type === 'ref/prompt' && typeof name === 'string') return { type, name: server.named(name) };
  if (type === 'ref/resource' && typeof uri === 'string') return { type, uri: server.named(uri) };
  throw new VerbError(400, 'a completion is of a prompt or a template');
}

function rootOf(value: unknown): { readonly uri: string; readonly name?: string } {
  if (!isObject(value) || typeof value['uri'] !== 'string') throw new VerbError(400, 'a root has a uri');
  const { uri, name } = value;
  if (!uri.startsWith('file://') || !URL.canParse(uri))
    throw new VerbError(400, `a root is a file: address, not ${uri}`);
  return { uri, ...(typeof name === 'string' && name !== '' ? { name } : {}) };
}
