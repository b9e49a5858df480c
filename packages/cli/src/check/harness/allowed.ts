import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { SchemaError } from '../../../../parley/src/schema/document.ts';
import { compileSchema } from '../../../../parley/src/schema/json-schema.ts';
import { nearestOf } from '../../../../parley/src/schema/usable/nearest.ts';
import { exampleOf } from './example.ts';
import type { ServerOffer } from './offer.ts';

/** A tool call that the user of the check allows. */
export interface AllowedCall {
  /** Name of the tool, exactly. */
  readonly name: string;
  /** True when it may be called though it says that it destroys. */
  readonly isDestructive?: boolean;
  /** Arguments; made of examples and defaults of its schema where they are left out. */
  readonly args?: JsonObject;
}

/** Tool that is called, with arguments that fit its schema. */
export interface CallableTool {
  readonly name: string;
  readonly tool: JsonObject;
  readonly args: JsonObject;
}

/** An allowed tool that is not called all the same. */
export interface UncalledTool {
  readonly name: string;
  readonly why: string;
  /** True where the server lists no tool of that name. */
  readonly isUnlisted?: true;
}

/**
 * Finds which of the allowed tools can be called in a revision. A tool is found by its exact name alone.
 *
 * @param destructive Tools that say so in any revision: the oldest has no place for it.
 */
export async function callable(
  allowed: readonly AllowedCall[],
  { tools }: ServerOffer,
  destructive: ReadonlySet<unknown>,
): Promise<readonly (CallableTool | UncalledTool)[]> {
  return await Promise.all(
    allowed.map(async ({ name, isDestructive = false, args: given }) => {
      const tool = tools.find((one) => one['name'] === name);
      if (tool === undefined) return { name, why: 'it is not listed', isUnlisted: true as const };
      const { inputSchema } = tool;
      if ((destructive.has(name) || isDestroying(tool)) && !isDestructive)
        return { name, why: `it has destructiveHint: allow it by ${name}!` };
      const args = given ?? exampleOf(inputSchema);
      if (!isObject(args)) return { name, why: 'its inputSchema is not one of an object' };
      const problem = await problemOf(inputSchema, args);
      return problem === undefined
        ? { name, tool, args }
        : { name, why: `its arguments ${JSON.stringify(args).slice(0, 200)} do not fit its inputSchema: ${problem}` };
    }),
  );
}

/**
 * Tells what is wrong with a value by a server's schema; `undefined` if it is valid. An invalid schema is reported as
 * such.
 */
export async function problemOf(schema: unknown, value: unknown): Promise<string | undefined> {
  try {
    const { read } = nearestOf(schema) ?? {};
    const [problem] = (await compileSchema(read?.schema ?? schema)).check(value);
    return problem && `${problem.path === '' ? 'it' : problem.path} ${problem.message}`;
  } catch (error) {
    if (error instanceof SchemaError) return `its schema cannot be used: ${error.message}`;
    throw error;
  }
}

/** Names of the tools that say that they destroy. */
export function destructiveIn({ tools }: ServerOffer): readonly unknown[] {
  return tools.filter(isDestroying).map(({ name }) => name);
}

function isDestroying({ annotations }: JsonObject): boolean {
  return isObject(annotations) && annotations['destructiveHint'] === true;
}
