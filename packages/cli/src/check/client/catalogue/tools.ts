import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { ClientSession } from '../client-session.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';

import { rowOf } from '../../register.ts';
import { droppedTool } from '../dropped.ts';
import { dyingTool } from '../served-process.ts';
import { appToolList } from './app.ts';
import { changeTool } from './listening.ts';

/** Tool whose annotation of a header is invalid. */
export const badHeaderTool = 'bad_header';

/** Cursor of the third page: an empty one is one like any other. */
export const thirdCursor = '';

/** Cursor of the second page of a conversation, which is good in no other. */
export function secondCursor({ number }: { readonly number: number }): string {
  return `page 2 of conversation ${number}`;
}

/** Tells whether a cursor is that of a second page, of whatever conversation. */
export function isSecondCursor(cursor: unknown): boolean {
  return typeof cursor === 'string' && /^page 2 of conversation \d{1,9}$/.test(cursor);
}

const text = { type: 'string' };

/** Makes an input schema. */
function taking(properties: JsonObject = {}): JsonObject {
  return { type: 'object', properties };
}

const first: readonly JsonObject[] = [
  { name: 'echo', description: 'Answers with the text.', inputSchema: taking({ text }) },
  { name: 'ask', description: 'Asks the client for everything that it declares.', inputSchema: taking() },
];

const lost: JsonObject = {
  name: 'lost',
  description: 'Ends the session: the call is answered with 404, as all that follows in it.',
  inputSchema: taking(),
};

const dropped: JsonObject = {
  name: droppedTool,
  description: 'Its stream breaks off before the answer, which is there for a client that resumes or calls again.',
  inputSchema: taking(),
};

const region: JsonObject = {
  name: 'region',
  description: 'Has arguments that travel in headers too.',
  inputSchema: taking({
    region: { ...text, 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    loud: { type: 'boolean', 'x-mcp-header': 'Loud' },
  }),
};

const slow: JsonObject = {
  name: 'slow',
  description: 'Takes a moment. As a task it asks for something before it ends.',
  inputSchema: taking(),
};

const endless: JsonObject = {
  name: 'endless',
  description: 'Is there to be given up while it runs; it ends by itself after 20 seconds.',
  inputSchema: taking(),
};

const job: JsonObject = { name: 'job', description: 'Runs as a task alone.', inputSchema: taking() };

const supports: Readonly<Record<string, 'optional' | 'required'>> = {
  slow: 'optional',
  endless: 'optional',
  job: 'required',
};

/** Way in which a tool may be called as a task; `undefined` where it may not. */
export function taskSupport(name: string): 'optional' | 'required' | undefined {
  return Object.hasOwn(supports, name) ? supports[name] : undefined;
}

/** Tools that run for a while, in the words of a revision. */
function lasting({ tasks }: Revision): readonly JsonObject[] {
  if (tasks !== 'core') return [slow, endless];
  return [slow, endless, job].map((tool) => ({
    ...tool,
    execution: { taskSupport: taskSupport(String(tool['name'])) },
  }));
}

const bad: JsonObject = {
  name: badHeaderTool,
  description: 'Has an annotation that is no name of a header.',
  inputSchema: taking({ region: { ...text, 'x-mcp-header': 'not a token' } }),
};

/** Path of an icon that clients should not fetch, since it is neither on https nor on the server's origin. */
export const iconPath = '/far/icon.png';

/** Prefix of the pages that must not be opened without consent, one for each question. */
export const pagePath = '/far/page';

/** Tool of the last page, with an icon if the revision has icons and a fetch of it can be observed. */
function lastTool(revision: Revision, remote: string | undefined): JsonObject {
  if (remote === undefined || !rowOf('icons-004').lives(revision)) return last;
  return { ...last, icons: [{ src: new URL(iconPath, remote).href, mimeType: 'image/png' }] };
}

/** A tool without arguments. */
export function plainTool(name: string): JsonObject {
  return { name, description: 'Says that it was called.', inputSchema: taking() };
}

const last: JsonObject = { name: 'last', description: 'Stands on the last page.', inputSchema: taking() };

/** Tools that are there once something was changed, of which each change takes one away and adds another. */
function newTools({ changeCount }: Pick<ClientSession, 'changeCount'>): readonly JsonObject[] {
  return changeCount === 0 ? [] : [plainTool(newToolName(changeCount))];
}

function newToolName(count: number): string {
  return `new_${count}`;
}

/** Tells whether a tool is, or was, there since something was changed. */
export function isNewTool(name: unknown, { changeCount }: Pick<ClientSession, 'changeCount'>): boolean {
  const count = typeof name === 'string' ? /^new_([1-9]\d{0,5})$/.exec(name)?.[1] : undefined;
  return count !== undefined && Number(count) <= changeCount;
}

/** Tells whether a conversation has the tool that ends its process, which its client then begins again. */
export function canDie(revision: Revision, { process }: Pick<ClientSession, 'process'>): boolean {
  return process !== undefined && rowOf('stdio-015').lives(revision);
}

const dies: JsonObject = {
  name: dyingTool,
  description: 'Ends the process of this server, without an answer.',
  inputSchema: taking(),
};

const change: JsonObject = {
  name: changeTool,
  description:
    'Changes the list of tools, and notifies subscribers: the second time streams break off then, the third they end.',
  inputSchema: taking(),
};

/** Tools of a conversation, page by page. */
export function toolPages(
  revision: Revision,
  clientSession: Pick<ClientSession, 'over' | 'moving' | 'changeCount' | 'process'>,
  remote: string | undefined,
): readonly (readonly JsonObject[])[] {
  const { over, moving } = clientSession;
  const own = [...first, ...lasting(revision), ...(over === 'http' && revision.http !== 'sse-pair' ? [dropped] : [])];
  if (!revision.mirroredHeaders)
    return [over === 'http' ? [...own, lost] : own, [lastTool(revision, remote), ...appToolList]];
  const far = remote === undefined ? [] : [remoteTool(remote)];
  return [
    [
      ...own,
      region,
      ...(over === 'http' ? [moving.view()] : []),
      change,
      ...(canDie(revision, clientSession) ? [dies] : []),
    ],
    [bad, ...far],
    [lastTool(revision, remote), ...newTools(clientSession), ...appToolList],
  ];
}

/** A tool whose schema has a reference to an address. */
function remoteTool(remote: string): JsonObject {
  return {
    name: 'remote',
    description: 'Has a reference to the network in its schema.',
    inputSchema: { type: 'object', properties: { far: { $ref: remote } } },
  };
}

/** A tool that the client may know by its name, where it has headers; `undefined` for others. */
export function toolNamed(name: string): JsonObject | undefined {
  return [region, bad].find((tool) => tool['name'] === name);
}
