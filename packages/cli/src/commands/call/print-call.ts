import type { CallToolResult } from '../../../../parley/src/protocol/features/tools.ts';
import type { Io } from '../io.ts';
import { printResult } from './render-result.ts';
import type { SavedParts } from './save.ts';

/** Output that is wanted of a call. */
export interface WantedOutput {
  readonly json: boolean;
  /** File or folder for images, audio and bytes. */
  readonly output: string | undefined;
}

/** Saves and prints the result of a tool. @returns The exit code. */
export async function printCall(
  tool: string,
  result: CallToolResult,
  { json, output }: WantedOutput,
  io: Io,
): Promise<number> {
  const isError = result.isError === true;
  let saved: SavedParts | undefined;
  try {
    if (output !== undefined && !isError)
      saved = await (await import('./save.ts')).saveBlocks(result.content, output, tool);
  } finally {
    // A result that cannot be saved is still shown.
    printResult(result, json, io, saved);
  }
  return isError ? 1 : 0;
}
