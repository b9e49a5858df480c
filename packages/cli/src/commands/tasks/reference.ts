import type { Readable } from 'node:stream';
import type { TaskReference } from '../../../../parley/src/client/api/task-handle.ts';
import { checkReference } from '../../../../parley/src/client/tasks/reference.ts';
import { UsageError, type Io } from '../io.ts';

/** Length limit of a reference, in characters. */
const longest = 1_000_000;

const hint =
  'give what parley call --task --detach printed, between single quotes, or - to read it from standard input';

/**
 * Reads the reference of a task: the argument itself, or standard input for `-`.
 *
 * @throws UsageError for an invalid one.
 */
export async function readReference(word: string | undefined, io: Io): Promise<TaskReference> {
  if (word === undefined) throw new UsageError(`name a task: ${hint}`);
  const text = (word === '-' ? await textOf(io.stdin, io.signal) : word).trim();
  if (text === '') throw new UsageError(`that is no reference of a task, but empty; ${hint}`);
  const reference = jsonOf(text);
  try {
    return checkReference(reference, '');
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}; ${hint}`, { cause });
  }
}

/** Reads JSON. Invalid text may hold anything, and is not quoted. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`that is not a task reference: it is not JSON; ${hint}`, { cause });
  }
}

async function textOf(stdin: Readable, signal: AbortSignal): Promise<string> {
  let text = '';
  const leave = (): void => void stdin.destroy();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const chunk of stdin) {
      text += String(chunk);
      if (text.length > longest) throw new UsageError(`that is no reference of a task: it is too long; ${hint}`);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
  return text;
}
