import { methodOf } from '../protocol/catalogue.ts';
import { fromWire } from '../protocol/compile/from-wire.ts';
import { McpError } from '../protocol/error.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Revision } from '../protocol/revision.ts';
import type { AskMethod } from './client-request.ts';

/** Reads a client's answer to a question in the canonical model. @returns `undefined` for one that is not of the type of the question. */
export function readAnswer(revision: Revision, method: AskMethod, answer: JsonObject): JsonObject | undefined {
  const type = methodOf(method)?.result;
  try {
    // Answers are JSON objects.
    return type === undefined ? answer : (fromWire(revision, type, answer) as unknown as JsonObject);
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
