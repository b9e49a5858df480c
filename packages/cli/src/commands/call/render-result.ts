import { jsonText } from '../../../../parley/src/json/exact-number.ts';
import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import type { ContentBlock } from '../../../../parley/src/protocol/features/content.ts';
import type { BlobResourceContents, TextResourceContents } from '../../../../parley/src/protocol/features/resources.ts';
import type { CallToolResult } from '../../../../parley/src/protocol/features/tools.ts';
import type { Io } from '../io.ts';
import type { SavedParts } from './save.ts';
import { withoutSent } from '../sent-secrets.ts';
import { printed, shownJson } from '../shown.ts';

/** Prints the result of a tool, for a person or as JSON. */
export function printResult(result: CallToolResult, json: boolean, io: Io, saved?: SavedParts): void {
  const isError = result.isError === true;
  const text = json ? `${shownJson(result, 2)}\n` : renderResult(result, saved);
  // A result is what was asked for, and is shown as it is; an error may repeat what was sent.
  (isError && !json ? io.stderr : io.stdout).write(isError ? withoutSent(text) : text);
}

/** The result of a tool as text for a person. */
export function renderResult({ content, structuredContent }: CallToolResult, saved?: SavedParts): string {
  const blocks = content
    .filter((block) => !repeats(block, structuredContent))
    .map((block) => renderBlock(block, saved));
  const data = structuredContent === undefined ? [] : [shownJson(structuredContent, 2)];
  return printed([...blocks, ...data].map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join(''), 'lines');
}

/** Spec 2025-06-18, Tools, Structured Content: a text block may hold the same once more. */
function repeats(block: ContentBlock, structuredContent: unknown): boolean {
  if (structuredContent === undefined || block.type !== 'text') return false;
  try {
    return jsonText(parseExactJson(block.text)) === jsonText(structuredContent);
  } catch {
    return false;
  }
}

/** A block of content as text for a person. */
export function renderBlock(block: ContentBlock, saved?: SavedParts): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return printed(`[${block.type} ${block.mimeType}, ${bytes(block.data)}${place(block, saved)}]`, 'line');
    case 'resource_link': {
      const about = [block.mimeType, block.description].filter((one) => one !== undefined).join(', ');
      return printed(
        `[resource ${block.uri}: ${block.title ?? block.name}${about === '' ? '' : ` (${about})`}]`,
        'line',
      );
    }
    case 'resource':
      return renderContents(block.resource, saved);
    default:
      // A server may know of content that this version does not.
      return shownJson(block);
  }
}

/** The contents of a resource as text for a person. */
export function renderContents(contents: TextResourceContents | BlobResourceContents, saved?: SavedParts): string {
  const type = contents.mimeType === undefined ? '' : ` ${contents.mimeType}`;
  const head = `[resource ${contents.uri}${type}`;
  if ('text' in contents && saved?.has(contents) === true) return printed(`${head}${place(contents, saved)}]`, 'line');
  return 'text' in contents
    ? `${printed(`${head}]`, 'line')}\n${contents.text}`
    : printed(`${head}, ${bytes(contents.blob)}${place(contents, saved)}]`, 'line');
}

/** Place of a part that was saved. */
function place(part: Parameters<SavedParts['get']>[0], saved: SavedParts | undefined): string {
  const file = saved?.get(part);
  return file === undefined ? '' : `, saved as ${file}`;
}

function bytes(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}
