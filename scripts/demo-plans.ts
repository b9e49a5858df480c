/** What the demo asks of each server, and what must come back. */

import type { Block, ToolResult } from './demo-clients.ts';

/** A kind of content that a call must bring, or where the revision has no such kind, a text that tells of it. */
export interface Wanted {
  readonly kind: 'text' | 'image' | 'audio' | 'resource' | 'resource_link' | 'structured';
  /** What the text must hold: of a text itself, or of the text that takes the place of something else. */
  readonly says: RegExp;
}

/** One call of a tool. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments?: object;
  readonly brings: readonly Wanted[];
  /** How often progress must be heard at least. */
  readonly progress?: number;
  readonly fails?: boolean;
}

/** Everything that a client does with one server. */
export interface Plan {
  /** How many of each the lists must hold, all pages together. */
  readonly lists: Readonly<Record<'tools' | 'resources' | 'resourceTemplates' | 'prompts', number>>;
  readonly calls: readonly PlannedCall[];
  /** URIs to read, and whether they hold text or bytes. */
  readonly reads: readonly { readonly uri: string; readonly holds: 'text' | 'blob' }[];
  readonly prompts: readonly { readonly name: string; readonly arguments?: object; readonly says: RegExp }[];
  readonly completions: readonly {
    readonly ref: object;
    readonly argument: object;
    readonly values: readonly string[];
  }[];
}

const text = (says: RegExp): Wanted => ({ kind: 'text', says });

/** `@modelcontextprotocol/server-everything`. */
export const everything: Plan = {
  // Tools that need sampling, roots or elicitation show only to clients that offer those.
  lists: { tools: 13, resources: 7, resourceTemplates: 2, prompts: 4 },
  calls: [
    { name: 'echo', arguments: { message: 'hello' }, brings: [text(/hello/)] },
    { name: 'get-sum', arguments: { a: 2, b: 3 }, brings: [text(/5/)] },
    { name: 'get-tiny-image', brings: [{ kind: 'image', says: /image/ }] },
    {
      name: 'get-annotated-message',
      arguments: { messageType: 'error', includeImage: true },
      brings: [text(/Error/), { kind: 'image', says: /image/ }],
    },
    {
      name: 'get-resource-links',
      arguments: { count: 2 },
      brings: [{ kind: 'resource_link', says: /demo:\/\/resource/ }],
    },
    {
      name: 'get-resource-reference',
      arguments: { resourceType: 'Text', resourceId: 1 },
      brings: [{ kind: 'resource', says: /demo/ }],
    },
    {
      name: 'get-structured-content',
      arguments: { location: 'Chicago' },
      brings: [{ kind: 'structured', says: /temperature/ }],
    },
    {
      name: 'trigger-long-running-operation',
      arguments: { duration: 1, steps: 4 },
      brings: [text(/completed/)],
      progress: 3,
    },
  ],
  reads: [
    { uri: 'demo://resource/static/document/features.md', holds: 'text' },
    { uri: 'demo://resource/dynamic/text/1', holds: 'text' },
    { uri: 'demo://resource/dynamic/blob/1', holds: 'blob' },
  ],
  prompts: [
    { name: 'simple-prompt', says: /simple/ },
    { name: 'args-prompt', arguments: { city: 'Oslo' }, says: /Oslo/ },
    { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' }, says: /resource/ },
  ],
  completions: [
    {
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
      values: ['Engineering'],
    },
    {
      ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      argument: { name: 'resourceId', value: '7' },
      values: ['7'],
    },
  ],
};

/** The example server of Parley. */
export const example: Plan = {
  lists: { tools: 14, resources: 3, resourceTemplates: 1, prompts: 2 },
  calls: [
    { name: 'echo', arguments: { message: 'hello' }, brings: [text(/hello/)] },
    { name: 'add', arguments: { a: 2, b: 3 }, brings: [{ kind: 'structured', says: /"sum":5/ }] },
    { name: 'forecast', arguments: { city: 'oslo', days: 2 }, brings: [{ kind: 'structured', says: /Oslo/ }] },
    // So long that a client which stands still for a while hears of it before its end: the first SDK hears nothing that comes with an answer.
    { name: 'countdown', arguments: { from: 8, pauseMs: 40 }, brings: [text(/lift-off/)], progress: 3 },
    { name: 'picture', arguments: { size: 16 }, brings: [text(/sun/), { kind: 'image', says: /image/ }] },
    { name: 'tone', brings: [{ kind: 'audio', says: /audio/i }] },
    { name: 'cities', brings: [{ kind: 'resource_link', says: /example:\/\/cities\/Oslo/ }] },
    { name: 'manual', brings: [text(/enclosed/), { kind: 'resource', says: /manual/ }] },
    { name: 'fail', brings: [text(/kettle/)], fails: true },
  ],
  reads: [
    { uri: 'example://manual', holds: 'text' },
    { uri: 'example://sun.png', holds: 'blob' },
    { uri: 'example://cities/Quito', holds: 'text' },
  ],
  prompts: [
    { name: 'greet', arguments: { name: 'Ada' }, says: /Ada/ },
    { name: 'pack', arguments: { city: 'Osaka' }, says: /Osaka/ },
  ],
  completions: [
    {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'tone', value: 'f' },
      values: ['friendly', 'formal'],
    },
    {
      ref: { type: 'ref/resource', uri: 'example://cities/{city}' },
      argument: { name: 'city', value: 'O' },
      values: ['Oslo', 'Osaka'],
    },
  ],
};

/** What is wrong with the result of a call; nothing when all that must come came. */
export function shortcomings(
  { brings, fails = false }: PlannedCall,
  result: ToolResult,
  hasKind: (kind: Wanted['kind']) => boolean,
): readonly string[] {
  const wrong = brings.filter(
    ({ kind, says }) => !(hasKind(kind) ? brought(result, kind, says) : told(result.content, says)),
  );
  return [
    ...(result.isError === true && !fails ? [`it failed: ${texts(result.content)}`] : []),
    ...(result.isError !== true && fails ? ['it did not fail'] : []),
    ...wrong.map(
      ({ kind, says }) =>
        `${hasKind(kind) ? `no ${kind}` : `no text in place of ${kind}`} (${says.source}) in ${JSON.stringify(result).slice(0, 300)}`,
    ),
  ];
}

function brought(result: ToolResult, kind: Wanted['kind'], says: RegExp): boolean {
  if (kind === 'structured') return says.test(JSON.stringify(result.structuredContent) ?? '');
  const blocks = result.content.filter(({ type }) => type === kind);
  return kind === 'text' ? told(blocks, says) : blocks.length > 0;
}

function told(content: readonly Block[], says: RegExp): boolean {
  return content.some((block) => block.type === 'text' && says.test(block.text ?? ''));
}

function texts(content: readonly Block[]): string {
  return content
    .map((block) => block.text ?? block.type)
    .join(' ')
    .slice(0, 300);
}
