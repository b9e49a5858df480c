import type { Revision } from '../../../protocol/revision.ts';
import type { TalkOver } from '../talk.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';

/** Tool whose annotation of a header is invalid. */
export const badHeaderTool = 'bad_header';

/** Cursor of the second page, and of the third, in the revisions that have empty ones for what they are. */
export const cursors = { second: 'page 2', third: '' } as const;

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

const region: JsonObject = {
  name: 'region',
  description: 'Has an argument that travels in a header too.',
  inputSchema: taking({ region: { ...text, 'x-mcp-header': 'Region' } }),
};

const bad: JsonObject = {
  name: badHeaderTool,
  description: 'Has an annotation that is no name of a header.',
  inputSchema: taking({ region: { ...text, 'x-mcp-header': 'not a token' } }),
};

/** A tool without arguments. */
export function plainTool(name: string): JsonObject {
  return { name, description: 'Says that it was called.', inputSchema: taking() };
}

const last: JsonObject = { name: 'last', description: 'Stands on the last page.', inputSchema: taking() };

/** Tools of a conversation, page by page. */
export function toolPages(
  { mirroredHeaders }: Revision,
  { over, remote }: { readonly over: TalkOver; readonly remote: string | undefined },
): readonly (readonly JsonObject[])[] {
  if (!mirroredHeaders) return [over === 'http' ? [...first, lost] : first, [last]];
  const far = remote === undefined ? [] : [remoteTool(remote)];
  return [[...first, region], [bad, ...far], [last]];
}

/** A tool whose schema has a reference to an address. */
function remoteTool(remote: string): JsonObject {
  return {
    name: 'remote',
    description: 'Has a reference to the network in its schema.',
    inputSchema: { type: 'object', properties: { far: { $ref: remote } } },
  };
}

/** A tool that the client may know by its name; `undefined` for none that has headers. */
export function toolNamed(name: string): JsonObject | undefined {
  return [region, bad].find((tool) => tool['name'] === name);
}
