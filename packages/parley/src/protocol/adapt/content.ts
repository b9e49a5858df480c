/** Content that older revisions cannot name. */

import { jsonText } from '../../json/exact-number.ts';
import type { Adaptation } from './adaptation.ts';
import type { AudioContent, ContentBlock, ResourceLink, TextContent } from '../features/content.ts';
import { from, until, within } from '../lifetime.ts';
import type { SamplingMessageContentBlock } from '../features/sampling.ts';
import type { CallToolResult } from '../features/tools.ts';
import { isFields } from '../compile/value.ts';

type Block = ContentBlock | SamplingMessageContentBlock;

/** Audio before 2025-03-26: a text that says what it was and how long. */
export const audioAsText: Adaptation<Block> = {
  name: 'audioAsText',
  life: until('2025-03-26'),
  toWire: (block) => (block.type === 'audio' ? asText(block, describeAudio) : block),
};

/** A resource link before 2025-06-18: a text with its name, media type and URI. */
export const resourceLinkAsText: Adaptation<Block> = {
  name: 'resourceLinkAsText',
  life: until('2025-06-18'),
  toWire: (block) => (block.type === 'resource_link' ? asText(block, describeLink) : block),
};

// Only what a text block has too is carried over.
function asText<T extends AudioContent | ResourceLink>(block: T, describe: (block: T) => string): TextContent {
  const { annotations } = block;
  return { type: 'text', text: describe(block), ...(annotations === undefined ? {} : { annotations }) };
}

function describeAudio({ mimeType, data }: AudioContent): string {
  return `[audio: ${mimeType}, ${decodedSize(data)} bytes]`;
}

function describeLink({ name, title, description, mimeType, uri, size }: ResourceLink): string {
  const details = [mimeType, size === undefined ? undefined : `${size} bytes`]
    .filter((part) => part !== undefined)
    .join(', ');
  const label = `${title ?? name}${details === '' ? '' : ` (${details})`}: ${uri}`;
  return `[resource link: ${label}]${description === undefined ? '' : `\n${description}`}`;
}

/** Number of bytes that base64 text stands for. */
function decodedSize(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

/** Structured content before 2025-06-18: left out, with its JSON in a text block, unless one holds it already. */
export const structuredContentAsText: Adaptation<CallToolResult> = {
  name: 'structuredContentAsText',
  life: until('2025-06-18'),
  toWire: (result) => {
    if (result.structuredContent === undefined) return result;
    const { structuredContent, ...rest } = result;
    if (holdsJson(rest.content, structuredContent)) return rest;
    const text: TextContent = { type: 'text', text: jsonText(structuredContent) };
    return { ...rest, content: [...rest.content, text] };
  },
};

/**
 * Structured content that is no object, since 2025-06-18: never alone, but with its JSON as text for who expects
 * objects. (Spec 2026-07-28, Tools: structured content.)
 */
export const textBesideValue: Adaptation<CallToolResult> = {
  name: 'textBesideValue',
  life: from('2025-06-18'),
  toWire: (result) => {
    const { structuredContent, content } = result;
    if (structuredContent === undefined || isFields(structuredContent)) return result;
    if (content.some((block) => block.type === 'text')) return result;
    return { ...result, content: [...content, { type: 'text', text: jsonText(structuredContent) }] };
  },
};

function holdsJson(content: readonly ContentBlock[], value: unknown): boolean {
  const json = jsonText(value);
  return content.some((block) => block.type === 'text' && (block.text === json || sameJson(block.text, json)));
}

function sameJson(text: string, json: string): boolean {
  // Whitespace is all that may differ, so a text that is shorter cannot hold it.
  if (text.length < json.length || text.trimStart()[0] !== json[0]) return false;
  try {
    const plain = respelled(text);
    return plain === json || plain === respelled(json);
  } catch {
    return false;
  }
}

/** The same value without whitespace, and with its numbers as JavaScript spells them. */
function respelled(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

/** Value that has structured content: the result of a tool, also as a block of sampling. */
interface Structured {
  readonly structuredContent?: unknown;
}

/**
 * Structured content that is no object, from 2025-06-18 until 2025-11-25: inside one, as `result`. The tool's
 * `outputSchema` is wrapped to match; see `wrappedOutputSchema`.
 */
export const wrappedStructuredContent: Adaptation<Structured> = {
  name: 'wrappedStructuredContent',
  life: within('2025-06-18', '2026-07-28'),
  toWire: (result) => {
    const { structuredContent } = result;
    return structuredContent === undefined || isFields(structuredContent) ? result : wrapStructuredContent(result);
  },
};

/** Puts the structured content of a result inside an object, whatever it is. */
export function wrapStructuredContent<T extends Structured>(result: T): T {
  return { ...result, structuredContent: { result: result.structuredContent } };
}
