/** Words in which docs/fidelity.md speaks of each adaptation, and a value that shows it; no program that serves or asks needs them. */

import { adaptedTypes } from '../../../parley/src/protocol/adapt/adapt.ts';
import type { Adaptation } from '../../../parley/src/protocol/adapt/adaptation.ts';
import { tasksExtension } from '../../../parley/src/protocol/features/tasks.ts';
import type { Type } from '../../../parley/src/protocol/shape.ts';

/** Words about an adaptation, and an example of it. */
export interface AdaptationLine {
  /** Subject, as a heading. */
  readonly title: string;
  /** Outcome for the value, as the end of a sentence. */
  readonly what: string;
  /** A value that it changes, or that cannot be said, wherever it applies. */
  readonly example: object;
}

const lines: Readonly<Record<string, AdaptationLine>> = {
  audioAsText: {
    title: 'Audio',
    what: 'a text with its media type and length',
    example: { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  },
  resourceLinkAsText: {
    title: 'Resource links',
    what: 'a text with the name, media type, size and URI of the resource',
    example: { type: 'resource_link', uri: 'memo:one', name: 'one', mimeType: 'text/plain' },
  },
  structuredContentAsText: {
    title: 'Structured content that is an object',
    what: 'its JSON as a text block, unless one holds it already',
    example: { content: [], structuredContent: { sum: 3 } },
  },
  textBesideValue: {
    title: 'Structured content that is not an object, without a text',
    what: 'its JSON as a text block beside it',
    example: { content: [], structuredContent: [1, 2] },
  },
  wrappedStructuredContent: {
    title: 'Structured content that is not an object',
    what: 'inside an object, as `result`',
    example: { content: [{ type: 'text', text: '[1,2]' }], structuredContent: [1, 2] },
  },
  wrappedOutputSchema: {
    title: 'Output schemas whose root is not an object',
    what: 'the schema of an object with the value as `result`',
    example: { name: 'list', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } },
  },
  booleanSchemas: {
    title: 'Boolean schemas of parameters',
    what: '`{}` for true and `{ not: {} }` for false',
    example: { type: 'object', properties: { any: true, none: false } },
  },
  blocksAsMessages: {
    title: 'Sampling messages of several blocks',
    what: 'several messages of the same role, in the same order',
    example: {
      maxTokens: 1,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
      ],
    },
  },
  noToolsForModels: {
    title: 'Tools in sampling',
    what: 'an error, since an answer without them would not be what was asked',
    example: {
      maxTokens: 1,
      messages: [{ role: 'user', content: { type: 'text', text: 'one' } }],
      tools: [{ name: 'add', inputSchema: { type: 'object' } }],
    },
  },
  oneBlockPerMessage: {
    title: 'A single sampling message of several blocks',
    what: 'one text if all its blocks are text, otherwise an error',
    example: {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  },
  oneBlockPerAnswer: {
    title: 'Sampling answers of several blocks',
    what: 'one text if all its blocks are text, otherwise an error',
    example: {
      role: 'assistant',
      model: 'any',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  },
  titledOptionsAsEnumNames: {
    title: 'Options with names in forms',
    what: 'the values as `enum`, the names as `enumNames`',
    example: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
  },
  urlNeedsId: {
    title: 'URL elicitation without an elicitationId',
    what: 'an error, unless who asks makes one up',
    example: { mode: 'url', message: 'log in', url: 'https://example.com/' },
  },
  oneValuePerField: {
    title: 'Several values for one field of a form',
    what: 'an error',
    example: { action: 'accept', content: { days: ['monday', 'friday'] } },
  },
  urlOnlyElicitation: {
    title: 'Elicitation by URL alone, as a capability',
    what: 'left out, since `elicitation` means forms there',
    example: { elicitation: { url: {} } },
  },
  experimentalObjects: {
    title: 'Experimental capabilities that are not objects',
    what: 'left out',
    example: { experimental: { 'x.example/junk': 1 } },
  },
  extensionSettings: {
    title: 'Settings of the tasks extension',
    what: 'exactly `{}`',
    example: { extensions: { [tasksExtension]: { own: true } } },
  },
};

/** An adaptation, with the types that it concerns and the words about it. */
export interface NamedAdaptation extends AdaptationLine {
  readonly adaptation: Adaptation;
  readonly types: readonly Type[];
}

/** Every adaptation once, in the order of their types. */
export const everyAdaptation: readonly NamedAdaptation[] = [...new Set(adaptedTypes.flatMap(({ rules }) => rules))].map(
  (adaptation) => ({
    adaptation,
    types: adaptedTypes.filter(({ rules }) => rules.includes(adaptation)).map(({ type }) => type),
    ...lineOf(adaptation),
  }),
);

/** The words about an adaptation. */
export function lineOf({ name }: Adaptation): AdaptationLine {
  const line = lines[name];
  if (line === undefined) throw new TypeError(`there are no words for the adaptation ${name}`);
  return line;
}
