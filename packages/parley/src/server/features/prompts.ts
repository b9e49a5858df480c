import type { Within } from '../definition/mounted-use.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { promptShape, type Prompt, type PromptArgument } from '../../protocol/features/prompts.ts';
import { isStandardSchema, toInputSchema, type ResolvedSchema } from '../../schema/schema.ts';
import { common } from './common.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import type { Completer, Handle, PromptArguments, PromptDefinition } from '../definition/definition.ts';
import type { Registry } from '../definition/registry.ts';
import { completers } from './resources.ts';
import { listable } from '../definition/check-result.ts';

/** A registered prompt. */
export interface PromptEntry {
  readonly prompt: Prompt;
  readonly schema: ResolvedSchema | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly get: (args: unknown, ctx: ToolContext) => unknown;
  /** The way to it, if it belongs to a mounted server. */
  readonly within?: Within | undefined;
}

type AnyPrompt = PromptDefinition<PromptArguments | undefined>;

/** Adds a prompt. */
export function addPrompt(
  registry: Registry<PromptEntry>,
  name: string,
  definition: AnyPrompt,
  get: PromptEntry['get'],
): Handle<AnyPrompt> {
  if (name === '') throw new TypeError('a prompt needs a name');
  const what = `prompt ${JSON.stringify(name)}`;
  return registry.add(name, definition, (current) => {
    const given = current.arguments;
    const schema = isStandardSchema(given) ? toInputSchema(given) : undefined;
    const list = schema === undefined ? listOf(what, given) : argumentsOf(schema.json);
    return {
      prompt: listable(
        promptShape,
        { name, ...common(current), ...(list === undefined ? {} : { arguments: list }) },
        what,
      ),
      schema,
      complete: completers(
        what,
        current.complete,
        (list ?? []).map((argument) => argument.name),
      ),
      get,
    };
  });
}

/** @throws TypeError if the value is not a list of arguments. */
function listOf(what: string, given: AnyPrompt['arguments']): readonly PromptArgument[] | undefined {
  if (given === undefined) return undefined;
  const isList =
    Array.isArray(given) && given.every((argument) => isObject(argument) && typeof argument['name'] === 'string');
  if (!isList)
    throw new TypeError(`${what}: arguments are a schema, as in z.object({ … }), or a list, as in [{ name: 'topic' }]`);
  return given as readonly PromptArgument[];
}

/** The list of arguments that an object schema describes. */
function argumentsOf(schema: Readonly<Record<string, unknown>>): readonly PromptArgument[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      required: required.includes(name),
    };
  });
}
