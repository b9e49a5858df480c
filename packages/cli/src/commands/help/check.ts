import { connection } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const checkTopic: HelpTopic = {
  name: 'check',
  summary: 'test a server, or a client, against the specification',
  examples: [
    ['parley check -- node server.js', 'test a server'],
    ['parley check http://127.0.0.1:3000/mcp --calls add,search', 'allow calls of two tools'],
    ['parley check --client -- node client.js {url}', 'test a client'],
  ],
  usage: [
    '[options] <url>',
    '[options] -- <command> [<argument>…]',
    '[options] --config <file> --server <name>',
    '--client [--auth] [options] [-- <command> [<argument>…]]',
  ],
  about: [
    'Sends valid and invalid messages in each protocol version that the server speaks, and reports each statement of the ' +
      'specification that the server breaks. It calls only the tools that --calls names. A missing feature or version is no ' +
      'finding.',
  ],
  groups: [
    {
      title: 'What is tested',
      options: [
        { flag: '--revision <date>', text: 'Test only this protocol version. Repeatable.' },
        {
          flag: '--only <row|area>',
          text: 'Test only one row, such as basic-018, or one area, such as http. Repeatable.',
        },
        {
          flag: '--calls <a,b>',
          text:
            'Tools that may be called, several times and with wrong arguments. Write a! for a tool with destructiveHint. ' +
            'A name in another case, such as A for a, is called too if you list it, and should be the name of no tool.',
        },
        {
          flag: '--args <file>',
          text: 'Arguments for these tools, as {"a": {…}}. [examples and defaults of their schemas]',
        },
        {
          flag: '--heavy',
          text:
            'Also send a message of 100 MB. Over HTTP, also open 500 connections with requests that do not end, and ' +
            'listen to streams for 24 times --timeout (two minutes by default).',
          isRare: true,
        },
        {
          flag: '--dry-run',
          text: 'Print what would be sent, and send nothing. The example server answers instead.',
          isRare: true,
        },
        { flag: '--config <file>', text: 'Test a server of this file ("mcpServers"), with the settings of its entry.' },
        { flag: '--server <name>', text: 'With --config: the server to test.' },
        {
          flag: '--timeout <time>',
          text: 'Wait this long for each answer. [5s; for a command that was silent once, less]',
        },
      ],
    },
    {
      title: 'Report',
      options: [
        {
          flag: '--strict',
          text:
            'Judge by the letter: a SHOULD that is not followed fails too, and so does a MUST that no client uses, and an ' +
            'outdated entry of the baseline.',
        },
        { flag: '--verbose', text: 'Print every row.' },
        { flag: '--json', text: 'Print JSON, with every row.' },
        { flag: '--json-to <file>', text: 'Also write the JSON to this file.', isRare: true },
        {
          flag: '--junit',
          text: 'Print JUnit XML: a suite for each version and area, a case for each row.',
          isRare: true,
        },
        { flag: '--junit-to <file>', text: 'Also write the JUnit XML to this file.', isRare: true },
        { flag: '--sarif <file>', text: 'Also write SARIF 2.1.0 to this file.', isRare: true },
        {
          flag: '--sarif-file <path>',
          text: 'The file of your repository to which the SARIF findings point. [the script of the command]',
          isRare: true,
        },
        { flag: '--baseline <file>', text: 'Known findings, which do not fail.' },
        { flag: '--write-baseline', text: 'Write the findings of this run to the baseline.' },
      ],
    },
    connection,
    {
      title: 'Authorization',
      options: [
        { flag: '--token-env NAME', text: 'Read the access token from this variable.' },
        { flag: '--token-file <file>', text: 'Read the access token from this file.' },
        { flag: '--account <name>', text: 'Use the stored login of this account. Used if no token is given.' },
        {
          flag: '--other-token-env NAME',
          text: 'The token of another user of the same server. That user must not get into your sessions.',
          isRare: true,
        },
        {
          flag: '--foreign-token-env NAME',
          text: 'A token of the same issuer for another server. The server must reject it.',
          isRare: true,
        },
      ],
    },
    {
      title: 'Test a client',
      options: [
        {
          flag: '--client',
          text:
            'Serve every protocol version, and test the client that connects. The command starts your client; it finds ' +
            'the address in $PARLEY_CHECK_URL and in place of {url}.',
        },
        { flag: '--port <n>', text: 'Listen at this port. [any free port]' },
        {
          flag: '--stdio',
          text: 'Serve standard input and output, for a client that starts its server. The report goes to standard error.',
        },
        {
          flag: '--relay',
          text:
            'Test what a client does when its server ends. Your client starts the server with the command in ' +
            '$PARLEY_CHECK_COMMAND (a JSON list) or in place of {command}.',
          isRare: true,
        },
        {
          flag: '--auth',
          text:
            'Test how the client is authorized: 18 servers and their authorization servers, right and wrong ones. The ' +
            'client connects to each and calls its tools in order. The command is started for each ' +
            '($PARLEY_CHECK_SCENARIO).',
        },
        { flag: '--wait <time>', text: 'End after this time at the latest; a plain number is in seconds. [600]' },
      ],
    },
  ],
  details: [
    'Each invalid message has a valid twin that must succeed first. A finding is tested once more before it is printed.',
    'A command is started for each version, and for each row that needs its own process, 40 times at most. The report ' +
      'says how often. If the command ends at once or at `initialize`, it is not started again.',
  ],
  exitCodes:
    '0 nothing that a client notices, 1 a MUST is broken, 2 wrong command line, 3 the test was not possible, as when the server was not reached.',
};
