import { McpError } from '../../protocol/error.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';
import { failure, text } from '../definition/tool-result.ts';
import type { Rated } from '../rates/rate-limit.ts';
import type { Measured } from '../rates/measured.ts';

/** A use that may be measured. */
export interface MeasuredUse {
  readonly method: string;
  /** Name of the tool, for a call of a tool. */
  readonly name: unknown;
  readonly call: Measured;
}

/**
 * Runs a use within the limits of calls and completions. A use without limits costs nothing.
 *
 * @returns The outcome, or a failed result for the model if it calls tools too often.
 * @throws McpError internalError if it requests completions too often.
 */
export function withinRates<T>(
  { method, name, call }: MeasuredUse,
  { limits, rates }: Rated,
  run: () => T | Promise<T>,
): T | CallToolResult | Promise<T | CallToolResult> {
  const { tools, byTool, completions } = limits;
  if (method === 'tools/call' && (tools !== undefined || byTool !== undefined))
    return mapMaybe(
      mapMaybe(rates(), (of) => of.call(String(name), call)),
      (words): T | CallToolResult | Promise<T | CallToolResult> =>
        words === undefined ? run() : failure([text(words)]),
    );
  if (method !== 'completion/complete' || completions === undefined) return run();
  return mapMaybe(
    mapMaybe(rates(), (of) => of.complete(call)),
    (mayComplete) => {
      if (!mayComplete) throw new McpError('internalError', 'too many completion requests in a short time');
      return run();
    },
  );
}
