/** Mistakes of programs that no compiler checked, told at once and by the right name. */

import type {
  CommonDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definition.ts';
import type { ServerOptions } from './options.ts';

/** Every name that something may have; the compiler sees that none is missing. */
type Names<T> = Readonly<Record<keyof T, 1>>;

const common: Names<CommonDefinition> = { title: 1, description: 1, icons: 1, meta: 1 };
const resource: Names<ResourceDefinition> = { ...common, name: 1, mimeType: 1, annotations: 1, cache: 1, size: 1 };

/** The names of what can be defined, by what it is called. */
const definitionNames: {
  readonly tool: Names<ToolDefinition>;
  readonly resource: typeof resource;
  readonly 'resource template': Names<ResourceTemplateDefinition>;
  readonly prompt: Names<PromptDefinition>;
} = {
  tool: { ...common, input: 1, output: 1, annotations: 1, execution: 1 },
  resource,
  'resource template': {
    ...common,
    name: 1,
    mimeType: 1,
    annotations: 1,
    cache: 1,
    allowTraversal: 1,
    complete: 1,
    list: 1,
  },
  prompt: { ...common, arguments: 1, complete: 1 },
};

/** The names of a server's options. */
export const optionNames: Names<ServerOptions> = {
  instructions: 1,
  revisions: 1,
  capabilities: 1,
  pageSize: 1,
  cache: 1,
  logging: 1,
  rounds: 1,
  rateLimits: 1,
  subscriptions: 1,
  tracer: 1,
  exposeErrors: 1,
  onError: 1,
  onWarning: 1,
};

/** What other libraries and the wire call it. */
const aliases: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  schema: 'input',
  outputSchema: 'output',
  argsSchema: 'arguments',
  _meta: 'meta',
};

/** @throws TypeError for a name that is not known, with the one that was meant or all that there are. */
export function refuseUnknown(what: string, given: unknown, known: Readonly<Record<string, 1>>): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${what} needs an object, not ${String(given)}`);
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (stranger === undefined) return;
  const meant = Object.hasOwn(aliases, stranger) ? aliases[stranger] : undefined;
  const remedy =
    meant !== undefined && Object.hasOwn(known, meant)
      ? `it is called ${meant} here`
      : `it has ${Object.keys(known).join(', ')}`;
  throw new TypeError(`${what} has no option ${JSON.stringify(stranger)}; ${remedy}`);
}

/** @throws TypeError for a definition without a handler, or with options that it does not have. */
export function checkDefinition(
  kind: keyof typeof definitionNames,
  key: string,
  { definition, handler }: { readonly definition: unknown; readonly handler: unknown },
): void {
  const what = `${kind} ${JSON.stringify(key)}`;
  if (typeof handler !== 'function' || typeof definition === 'function')
    throw new TypeError(
      `${what} needs a handler: a function as the third argument, after its definition ({} for none)`,
    );
  refuseUnknown(what, definition, definitionNames[kind]);
}

/** @throws TypeError without a name and a version. */
export function checkInfo(info: unknown): void {
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== 'string' || name === '' || typeof version !== 'string')
    throw new TypeError(
      "createServer needs a name and a version, as in createServer({ name: 'mine', version: '1.0.0' })",
    );
}
