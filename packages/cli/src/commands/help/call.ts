import { authorization, output, questionGroup, serverConnection } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const callTopic: HelpTopic = {
  name: 'call',
  summary: 'list what a server offers, or call a tool',
  examples: [
    ['parley call http://127.0.0.1:3000/mcp', 'list tools, resources, prompts'],
    ['parley call http://127.0.0.1:3000/mcp add a=1 b=2', 'call the tool `add`'],
    ['parley call server.ts add a=1 b=2', 'start a file with Node first'],
    ['parley call add a=1 b=2 -- npx tsx server.ts', 'start a command first'],
  ],
  usage: [
    '[options] <url|file> [<tool> [<name>=<value>…]]',
    '[options] <tool> [<name>=<value>…] -- <command> [<argument>…]',
    '[options] -- <command> [<argument>…] [-- <tool> [<name>=<value>…]]',
    '[options] --config <file> <server> [<tool> [<name>=<value>…]]',
  ],
  about: [
    'The result goes to standard output; progress and log messages go to standard error. Without a terminal and without ' +
      'an answer option, the server learns that it cannot ask questions.',
    'Every word after -- belongs to the command. The tool stands before --, or after a second one. If the command ' +
      'contains a -- itself, put the tool first or end the line with one more --.',
  ],
  groups: [
    {
      title: 'Arguments and output',
      options: [
        {
          flag: '<name>=<value>',
          text: 'An argument. The input schema of the tool decides whether the value is text or JSON, such as 3 or [1,2].',
        },
        {
          flag: "--json '{…}'",
          text: 'All arguments as one JSON object, also without --json. Single arguments are added to it.',
        },
        { flag: '--json', text: 'Print the whole result as JSON.' },
        output,
      ],
    },
    questionGroup,
    {
      title: 'Tasks',
      options: [
        {
          flag: '--task',
          text:
            'Call the tool as a task, and wait. At a terminal you can answer its questions. Ctrl-C leaves the task ' +
            'running and prints how to continue; Ctrl-C twice cancels it.',
        },
        { flag: '--detach', text: 'With --task: do not wait. Print a reference for `parley tasks`.' },
        {
          flag: '--ttl <time>',
          text: 'With --task and 2025-11-25: ask the server to keep the task for this time.',
          isRare: true,
        },
      ],
    },
    serverConnection(
      'Time for the whole command: connecting, listing the tools, and the call. The time in which you are asked does not ' +
        'count. [60s for each answer, again after each progress]',
    ),
    authorization,
  ],
  exitCodes:
    '0 success, 1 failure (also of the tool), 2 wrong command line, 3 the server was not reached or went away.',
};
