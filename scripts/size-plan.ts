/** The programs whose size is watched, and the words that show that something got in which nobody asked for. */

import { entries, type Entry } from './bundle.ts';

/** A program that uses the package. */
export interface Program {
  readonly name: string;
  readonly code: string;
  /** The most that may be loaded when it starts, in KB after gzip. */
  readonly budget: number;
  /** What is aimed at, where the budget is more. */
  readonly aim?: number;
  /** The most that may be loaded later, all of it together, where that is watched: it shows a chunk that holds too much; in KB after gzip. */
  readonly later?: number;
  /** The most that it may be in one file, which is what a bundler makes by default for a browser or a worker; in KB after gzip. */
  readonly whole?: number;
  /** Runs in a browser and in any other runtime. */
  readonly neutral: boolean;
  readonly role: 'server' | 'client' | 'both';
}

/** Something that is seen by a word of its own, which survives minification. */
export interface Stranger {
  readonly what: string;
  readonly word: RegExp;
  /** Where it does not belong. */
  readonly in: (program: Program) => boolean;
  /** A program that it belongs to, when there is one: a word that is not even there shows nothing. */
  readonly home?: string;
}

const definition = `
const server = createServer({ name: 'small', version: '1.0.0' });
server.tool('add', { description: 'Adds.' }, () => 'added');
`;

/** How the budgets of the entry points stand, in KB; each is a little more than it was when it was last looked at. */
const budgets: Readonly<Record<Entry, number>> = {
  '': 145.6,
  server: 47.7,
  client: 54.8,
  bridge: 116.4,
  protect: 22.6,
  account: 32.4,
  http: 41,
  oauth: 24.2,
  stdio: 9.5,
  node: 42.7,
  sqlite: 3.6,
  postgres: 5.1,
  redis: 18.6,
  otel: 21.3,
  protocol: 3.6,
  testing: 66.9,
};

/** Programs that do one thing, and each entry point as a whole. */
export const programs: readonly Program[] = [
  {
    name: 'HTTP server',
    code: `import { createServer } from 'parley-mcp/server'; import { listen } from 'parley-mcp/node'; ${definition} await listen(server, { port: 3000 });`,
    budget: 67.1,
    aim: 30,
    neutral: false,
    role: 'server',
  },
  {
    name: 'HTTP server by fetch',
    code: `import { createServer } from 'parley-mcp/server'; import { createHandler } from 'parley-mcp/http'; ${definition} export const handler = createHandler(server);`,
    budget: 67.2,
    whole: 125.4,
    neutral: true,
    role: 'server',
  },
  {
    name: 'stdio server',
    code: `import { createServer } from 'parley-mcp/server'; import { serveStdio } from 'parley-mcp/stdio'; ${definition} serveStdio(server);`,
    budget: 52,
    aim: 28,
    whole: 101.6,
    neutral: false,
    role: 'server',
  },
  {
    name: 'client',
    code: `import { connect } from 'parley-mcp/client'; const client = await connect('https://example.com/mcp'); console.log(await client.callTool('add', {}));`,
    budget: 54.7,
    aim: 28,
    whole: 103.1,
    neutral: true,
    role: 'client',
  },
  ...entries.map(entryPoint),
];

/** What must not be loaded at the start of a program. */
export const strangers: readonly Stranger[] = [
  { what: 'a module of Node', word: /["'`]node:/, in: ({ neutral }) => neutral, home: 'parley-mcp/stdio' },
  {
    what: 'the flow of OAuth',
    word: /code_verifier|client_assertion|token_endpoint_auth_method:/,
    in: ({ name }) => name !== 'parley-mcp/oauth' && name !== 'parley-mcp/account',
    home: 'parley-mcp/oauth',
  },
  {
    what: 'the verification of tokens',
    word: /the access token was not issued for this resource/,
    in: ({ name }) => name !== 'parley-mcp/protect',
    home: 'parley-mcp/protect',
  },
  {
    what: 'HTTP+SSE of a client',
    word: /HTTP\+SSE carries no/,
    in: ({ name }) => name === 'client' || name === 'parley-mcp/client',
    home: 'parley-mcp/http',
  },
  {
    what: 'a client',
    word: /TooManyRoundsError/,
    in: ({ role }) => role === 'server',
    home: 'client',
  },
  { what: 'a recording', word: /the stream ended within an event/, in: () => true },
  { what: 'the judge of servers', word: /something in front of the server answered/, in: () => true },
  { what: 'the process of inspect', word: /this question waits no more/, in: () => true },
  { what: 'the work on tasks', word: /the process that ran the task ended/, in: () => true },
  { what: 'the check of JSON Schemas', word: /must match exactly one schema in oneOf/, in: () => true },
  { what: 'regular expressions in linear time', word: /cannot be matched in linear time/, in: () => true },
];

function entryPoint(entry: Entry): Program {
  const name = entry === '' ? 'parley-mcp' : `parley-mcp/${entry}`;
  return {
    name,
    code: `export * from '${name}';`,
    budget: budgets[entry],
    ...(entry === 'http' && { later: 21.2 }),
    neutral: entry !== 'node' && entry !== 'stdio' && entry !== 'sqlite' && entry !== 'redis',
    role: entry === 'server' ? 'server' : entry === 'client' ? 'client' : 'both',
  };
}
