import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentBlock } from '../../../../parley/src/protocol/features/content.ts';
import type { BlobResourceContents, TextResourceContents } from '../../../../parley/src/protocol/features/resources.ts';
import { reasonOf } from '../shown.ts';

type Contents = BlobResourceContents | TextResourceContents;

/** Files in which parts of a result are, by the part. */
export type SavedParts = ReadonlyMap<ContentBlock | Contents, string>;

/** A part of a result that is bytes. */
interface Part {
  readonly of: ContentBlock | Contents;
  readonly bytes: Uint8Array;
  readonly mimeType: string | undefined;
}

/** Ends of file names. A server cannot choose others. */
const ends: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'text/csv': 'csv',
};

/**
 * Saves the images, the audio and the bytes of a result.
 *
 * @param path A file for one part. A folder, which is made if it is missing, for several parts.
 * @param name Beginning of the names in a folder.
 * @throws Error if there is nothing to save, or it cannot be written.
 */
export async function saveBlocks(blocks: readonly ContentBlock[], path: string, name: string): Promise<SavedParts> {
  return await save(blocks.flatMap(partOf), path, name);
}

/** Saves the contents of a resource, which may also be texts. It does so like `saveBlocks`. */
export async function saveContents(contents: readonly Contents[], path: string, name: string): Promise<SavedParts> {
  return await save(contents.map(partOfContents), path, name);
}

async function save(parts: readonly Part[], path: string, name: string): Promise<SavedParts> {
  if (parts.length === 0) throw new Error(`nothing was saved as ${path}: the result has no image, audio or bytes`);
  const saved = new Map<Part['of'], string>();
  try {
    const isFolder =
      parts.length > 1 || /[/\\]$/.test(path) || (await stat(path).catch(() => undefined))?.isDirectory();
    if (isFolder === true) await mkdir(path, { recursive: true });
    for (const [at, { of, bytes, mimeType }] of parts.entries()) {
      const file = isFolder === true ? join(path, fileName(name, at, mimeType)) : path;
      await writeFile(file, bytes);
      saved.set(of, file);
    }
  } catch (cause) {
    throw new Error(`cannot save the result as ${path}: ${reasonOf(cause)}`, { cause });
  }
  return saved;
}

function fileName(name: string, at: number, mimeType: string | undefined): string {
  const [type = ''] = (mimeType ?? '').toLowerCase().split(';');
  const stem = name
    .split(/\W/)
    .filter((word) => word !== '')
    .join('-')
    .slice(-80);
  return `${stem === '' ? 'part' : stem}-${at + 1}.${Object.hasOwn(ends, type) ? ends[type] : 'bin'}`;
}

function partOf(block: ContentBlock): readonly Part[] {
  if (block.type === 'image' || block.type === 'audio')
    return [{ of: block, bytes: Buffer.from(block.data, 'base64'), mimeType: block.mimeType }];
  return block.type === 'resource' && 'blob' in block.resource ? [partOfContents(block.resource)] : [];
}

function partOfContents(contents: Contents): Part {
  const bytes = 'text' in contents ? Buffer.from(contents.text) : Buffer.from(contents.blob, 'base64');
  return { of: contents, bytes, mimeType: contents.mimeType };
}
