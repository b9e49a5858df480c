/** Recordings as files: a first line that says so, then one entry in JSON on each line; a later line of a sequence replaces an earlier. */

import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { jsonIn } from '../../../parley/src/json/parse.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import { lineReader } from '../../../parley/src/jsonrpc/ndjson.ts';
import type { RecordingEntry } from './entry.ts';
import { KeptEntries } from './kept-entries.ts';
import type { Log } from './log.ts';

/** A file that is being written. */
export interface RecordingFile {
  /** Lines that were not written, since the disk was too slow or failed; the file says so at its end. */
  readonly lost: number;
  /** Writes all that a log hears from now on, masked. */
  add(log: Log): void;
  /** Ends the recording, and waits until it is fully written. */
  close(): Promise<void>;
}

const heading = { recording: 'parley', version: 1 };

/** Most characters that wait for the disk. */
const maxWaiting = 64 * 1024 ** 2;

/**
 * Begins a recording in a file that its owner alone may read.
 *
 * @throws Error of the file system where it cannot be written, such as where something is there that is no plain file.
 */
export async function recordTo(path: string): Promise<RecordingFile> {
  // An existing file may be readable to others: it is replaced, and a link is not followed.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  await file.chmod(0o600);
  const waiting: string[] = [`${JSON.stringify(heading)}\n`];
  let characters = 0;
  let lost = 0;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const text = waiting.splice(0).join('');
      characters = 0;
      try {
        await file.appendFile(text);
      } catch {
        lost += text.split('\n').length - 1;
      }
    }
    writing = undefined;
  }

  function write(line: string): void {
    if (characters + line.length > maxWaiting) lost++;
    else {
      waiting.push(line);
      characters += line.length;
      writing ??= drain();
    }
  }

  const ends: (() => void)[] = [];
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const end of ends) end();
    if (lost > 0) waiting.push(`${JSON.stringify({ lost })}\n`);
    writing ??= drain();
    await writing;
    await file.close();
  }
  return {
    get lost() {
      return lost;
    },
    add(log) {
      ends.push(log.subscribe((entry) => write(`${JSON.stringify(log.redaction.toShow(entry))}\n`)));
    },
    close: () => (closing ??= close()),
  };
}

/** A recording that was read from a file. */
export interface ReadRecording {
  /** Entries by their sequence, oldest first. */
  readonly entries: readonly RecordingEntry[];
  /** Lines that are no entries, entries that made way for newer ones, and lines that were not written. */
  readonly lost: number;
}

/** Longest line of a file that is read, in bytes. */
const maxLineLength = 8 * 1024 ** 2;

/**
 * Reads a recording. Lines that are no entries are counted, and entries beyond the limits (20,000 of each of 16 servers, 256 Mi characters),
 * of which the newest are read.
 *
 * @throws Error of the file system, and where the file is no recording.
 */
export async function readRecording(path: string): Promise<ReadRecording> {
  const kept = new KeptEntries();
  let begun = false;
  let lost = 0;
  const reader = lineReader({
    maxBytes: maxLineLength,
    problem: () => lost++,
    line(text) {
      const value = jsonIn(text);
      if (!begun) {
        if (!isObject(value) || value['recording'] !== heading.recording)
          throw new Error(`${path} is no recording: its first line does not say so`);
        begun = true;
        return;
      }
      const entry = entryOf(value);
      lost += entry === undefined ? lostOf(value) : kept.add(entry, text.length);
    },
  });
  const file = await open(path, constants.O_RDONLY);
  try {
    const chunk = new Uint8Array(65_536);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length);
      if (bytesRead === 0) break;
      reader.push(chunk.slice(0, bytesRead));
    }
    reader.end();
  } finally {
    await file.close();
  }
  if (!begun) throw new Error(`${path} is no recording: it is empty`);
  return { entries: kept.all, lost };
}

function lostOf(value: unknown): number {
  const lost = isObject(value) ? value['lost'] : undefined;
  return typeof lost === 'number' && Number.isSafeInteger(lost) && lost > 0 ? lost : 1;
}

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isCount: Test = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isNumbered: Test = (value) => Number.isSafeInteger(value) && isCount(value);
/** Beyond this no date can be written. */
const isTime: Test = (value) => isCount(value) && Number(value) <= 8.64e15;
const isHeaders: Test = (value) => isObject(value) && Object.values(value).every(isText);
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);
const object =
  (fields: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, test]) => test(value[name]));

const isEntry = object({
  // Numbers must remain for later entries.
  sequence: (value) => isNumbered(value) && Number(value) < 2 ** 52,
  time: isTime,
  server: isText,
  connection: isCount,
  bytes: isCount,
  lane: oneOf('message', 'http', 'event', 'stderr', 'process', 'auth', 'app'),
  from: oneOf('client', 'server'),
  text: optional(isText),
  problem: optional(isText),
  http: optional(
    object({ headers: isHeaders, method: optional(isText), url: optional(isText), status: optional(isCount) }),
  ),
  event: optional(
    object({ type: optional(isText), id: optional(isText), retry: optional(isCount), comment: optional(isText) }),
  ),
  exit: optional(
    object({
      code: (value) => value === null || typeof value === 'number',
      signal: (value) => value === null || isText(value),
    }),
  ),
  exchange: optional(isNumbered),
  cut: optional(isCount),
  id: optional((value) => value === null || isText(value) || typeof value === 'number'),
  method: optional(isText),
  pair: optional(isNumbered),
  over: optional(isNumbered),
  cancelled: optional(isNumbered),
  revision: optional(isText),
  ms: optional(isCount),
  broken: optional((value) => Array.isArray(value) && value.every(isText)),
});

function entryOf(value: unknown): RecordingEntry | undefined {
  // Every field that the interface names was looked at.
  return isEntry(value) ? (value as RecordingEntry) : undefined;
}
