import { connection } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const explainTopic: HelpTopic = {
  name: 'explain',
  summary: 'which protocol versions a server speaks, and which clients can use it',
  examples: [
    ['parley explain https://mcp.example.com/mcp', 'a remote server'],
    ['parley explain -- npx -y @modelcontextprotocol/server-everything', 'a command'],
    ['parley explain --config servers.json', 'all servers of a file'],
  ],
  usage: ['[options] <url>', '[options] -- <command> [<argument>…]', '[options] --config <file> [<server>]'],
  about: [
    'Connects once for each protocol version, as a client of that version does. Prints the versions that the server ' +
      'speaks, which answer proves it, what the server offers, and what clients of each version get through the bridge. ' +
      'It calls no tool, reads no resource and gets no prompt.',
  ],
  groups: [
    {
      title: 'Options',
      options: [
        { flag: '--config <file>', text: 'Explain the servers of this file ("mcpServers"), or one of them.' },
        { flag: '--server <name>', text: 'With --config: explain only this server.' },
        { flag: '--wire', text: 'Print the messages too: the JSON, and over HTTP the status and the MCP headers.' },
        { flag: '--json', text: 'Print JSON. With --config, print a list.' },
        {
          flag: '--timeout <time>',
          text:
            'Time for the whole command, divided among servers and versions. An answer may take 60 s of it, and 10 s ' +
            'where a server often does not answer. [no limit for the whole]',
        },
      ],
    },
    connection,
  ],
  details: [
    'A command is started once for each version. The first start sends `initialize`. If the command ends then, it is not ' +
      'started again.',
    'A server that requires authorization, is overloaded or does not answer proves nothing. The report says so.',
    'If a server requires authorization, the report has the challenge, the metadata of the resource and of its ' +
      'authorization servers, where they were looked for, and the ways to register a client. It lists each rule that they ' +
      'break and what clients do about it. "stop" marks the rules at which clients stop. The command does not sign in, ' +
      'stores nothing, and sends --header only to the server.',
  ],
  exitCodes:
    '0 a version works, 1 no version of a server works (the report is printed too), 2 wrong command line, 3 no server ' +
    'was reached.',
};
