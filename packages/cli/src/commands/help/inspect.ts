import { authorization, connection } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const inspectTopic: HelpTopic = {
  name: 'inspect',
  summary: 'use a server in the browser, and see every message',
  examples: [
    ['parley inspect -- node server.js', 'start a server, and open the page'],
    ['parley inspect https://mcp.example.com/mcp', 'the same for a remote server'],
    ['parley inspect --watch -- node server.js', 'restart the server when its files change'],
  ],
  usage: [
    '[options] [<url>]',
    '[options] -- <command> [<argument>…]',
    '[options] --config <file> [--server <name>]',
    '--open <file>',
  ],
  about: [
    'Serves a page on this machine and opens it. The page shows what the server offers, each message, and what clients ' +
      'of other protocol versions get. The address contains a token of this run; the page is useless without it.',
  ],
  groups: [
    {
      title: 'Options',
      options: [
        {
          flag: '--revision <date>|auto',
          text: 'Begin with this protocol version. [auto: the newest that the server speaks]',
        },
        {
          flag: '--watch[=<folder>]',
          text:
            'Restart the server when a file of the folder changes. node_modules and names that begin with a dot do not ' +
            'count, except .env. [the folder of the script]',
        },
        { flag: '--config <file>', text: 'Show the servers of this file ("mcpServers").' },
        { flag: '--server <name>', text: 'With --config: show only this server.' },
        { flag: '--record <file>', text: 'Write all messages to this file, without secrets.' },
        { flag: '--open <file>', text: 'Show a recording of --record, or a file that the page saved.' },
        { flag: '--read-only', text: 'Do not call tools.' },
        { flag: '--port <n>', text: 'Serve the page at this port. [any free port]' },
        { flag: '--no-open', text: 'Print the address, and do not open a browser. Default over SSH.' },
      ],
    },
    connection,
    authorization,
  ],
};
