import { newestRevision, revisions } from '../../../../parley/src/protocol/revision.ts';
import { bridgeTopic, startTopic } from './bridge.ts';
import { callTopic } from './call.ts';
import { checkTopic } from './check.ts';
import { completionTopic } from './completion.ts';
import { exampleTopic } from './example.ts';
import { explainTopic } from './explain.ts';
import { inspectTopic } from './inspect.ts';
import { exampleLines, layOut } from './layout.ts';
import { loginTopic, logoutTopic, whoamiTopic } from './login.ts';
import { tasksTopic } from './tasks.ts';
import type { HelpExample, HelpTopic } from './topic.ts';
import { useTopics } from './use.ts';

/** Every command that has help of its own, in the order of the list. */
export const topics: readonly HelpTopic[] = [
  inspectTopic,
  callTopic,
  ...useTopics,
  explainTopic,
  bridgeTopic,
  checkTopic,
  tasksTopic,
  loginTopic,
  logoutTopic,
  whoamiTopic,
  startTopic,
  exampleTopic,
  completionTopic,
];

const examples: readonly HelpExample[] = [
  ['parley inspect -- node server.js', 'use a server in the browser'],
  ['parley call http://127.0.0.1:3000/mcp add a=1 b=2', 'call a tool'],
  ['parley explain https://mcp.example.com/mcp', 'see which versions a server speaks'],
  ['parley bridge -- node server.js', 'serve it to clients of every version'],
];

const general = `parley: use, connect and test MCP servers of every protocol version, ${revisions[0]?.date} to ${newestRevision.date}

Examples
${exampleLines(examples).join('\n')}

Commands
${topics.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

A server is a URL, a file that Node runs (server.js; server.ts with Node 22.18 or later), or a
command after --. A time is 500ms, 5s or 2m; a plain number is in milliseconds.
\`parley <command> --help\` shows the options of a command.
\`parley --version\` prints the version. If parley is not installed, type: npx parley-cli <command>

NO_COLOR=1 turns colours off, FORCE_COLOR=1 turns them on.
Exit codes: 0 success, 1 failure, 2 wrong command line, 3 the server was not reached or went away.
`;

/**
 * The help for a command, or the list of commands.
 *
 * @param isAll True to include rarely needed options.
 * @returns `undefined` if the command does not exist.
 */
export function helpOn(command?: string, isAll = false): string | undefined {
  if (command === undefined) return general;
  const topic = topics.find(({ name }) => name === command);
  return topic === undefined ? undefined : layOut(topic, isAll);
}
