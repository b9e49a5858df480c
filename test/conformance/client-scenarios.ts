/** What the client does in each scenario of the suite. */

import type { Client } from '../../packages/parley/src/client.ts';

/** One scenario; the context is what the suite says beside its name. */
export type Scenario = (client: Client, context: unknown) => Promise<unknown>;

/** A call that a context asks for. */
interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const list: Scenario = (client) => client.listTools();

const callOne =
  (name: string): Scenario =>
  async (client) => {
    await client.listTools();
    await client.callTool(name);
  };

/** Calls the tools one after the other, whether their results are any good or not. */
const callAll =
  (...names: readonly string[]): Scenario =>
  async (client) => {
    for (const name of names) await client.callTool(name).catch((error: unknown) => console.error(error));
  };

async function echoSchema(client: Client): Promise<void> {
  const tool = (await client.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
  await client.callTool('json_schema_echo', { schema: tool?.inputSchema });
}

async function useEverything(client: Client): Promise<void> {
  for (const { name } of await client.listTools()) await client.callTool(name);
  for (const { uri } of await client.listResources()) await client.readResource(uri);
  for (const { name } of await client.listPrompts()) await client.getPrompt(name);
}

async function callAsTold(client: Client, context: unknown): Promise<void> {
  await client.listTools();
  // The suite says what to call, in this form.
  const { toolCalls } = context as { readonly toolCalls: readonly ToolCall[] };
  for (const call of toolCalls) await client.callTool(call.name, call.arguments);
}

async function callWhatIsListed(client: Client): Promise<void> {
  for (const { name } of await client.listTools()) await client.callTool(name, { region: 'us-west1' });
}

/** Uses a server that wants authorization, twice. */
async function useGuarded(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool('test-tool');
}

/** By the names of the suite. */
const named: ReadonlyMap<string, Scenario> = new Map([
  ['initialize', list],
  [
    'tools_call',
    async (client) => {
      await client.listTools();
      await client.callTool('add_numbers', { a: 5, b: 3 });
    },
  ],
  ['elicitation-sep1034-client-defaults', callOne('test_client_elicitation_defaults')],
  ['sse-retry', callOne('test_reconnection')],
  ['json-schema-2020-12-preservation', echoSchema],
  ['request-metadata', list],
  [
    'sep-2322-client-request-state',
    callAll('test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated', 'test_mrtr_no_result_type'),
  ],
  ['http-standard-headers', useEverything],
  ['http-custom-headers', callAsTold],
  ['http-invalid-tool-headers', callWhatIsListed],
  ['json-schema-ref-no-deref', list],
] satisfies readonly (readonly [string, Scenario])[]);

/** What to do in a scenario; those about authorization all use the server alike. */
export const scenarios = {
  get: (name: string): Scenario | undefined => (name.startsWith('auth/') ? useGuarded : named.get(name)),
};

/** The scenarios whose server the client must not trust. The suite itself accepts any exit code there. */
const untrusted: ReadonlySet<string> = new Set(
  ['scope-retry-limit', 'resource-mismatch', 'metadata-issuer-mismatch']
    .map((name) => `auth/${name}`)
    .concat(['supported-missing', 'wrong-issuer', 'unexpected', 'normalized'].map((name) => `auth/iss-${name}`)),
);

/** Plays a scenario. Exits with 0 if it ends as it must: with an error when the server is not to be trusted, and without one otherwise. */
export async function playToEnd(name: string, play: (run: Scenario) => Promise<unknown>): Promise<void> {
  const run = scenarios.get(name);
  if (run === undefined) throw new TypeError(`there is no scenario ${JSON.stringify(name)}`);
  const outcome = await play(run).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome !== undefined) console.error(outcome.error);
  if ((outcome !== undefined) === untrusted.has(name)) return;
  if (outcome === undefined) console.error('the client trusts the server');
  process.exitCode = 1;
}
