import { authorization, extensionFlag, json, reaching, revision } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const tasksTopic: HelpTopic = {
  name: 'tasks',
  summary: 'continue a task that `parley call --task` began',
  examples: [
    ['task=$(parley call --task --detach http://127.0.0.1:3000/mcp countdown from=20)', ''],
    ['parley tasks get "$task"', ''],
    ['echo "$task" | parley tasks wait -', ''],
  ],
  usage: [
    'get [options] <reference> [<server>]',
    'wait [options] <reference> [<server>]',
    'answer [options] <reference> [<server>] [<name>=<value>…]',
    'cancel [options] <reference> [<server>]',
    'list [options] <server>',
  ],
  about: [
    'A reference is the JSON that --detach and Ctrl-C print. Put it between single quotes, or write - to read it from ' +
      'standard input. It contains no token. If the server knows no users, everybody who has the reference can read and ' +
      'cancel the task.',
    '<server> is needed if the reference has no URL, or if the URL needs more than its path. It is a URL, ' +
      '-- <command>…, or --config <file> <name>.',
  ],
  groups: [
    {
      title: 'Answers',
      options: [
        { flag: '<name>=<value>', text: 'A field of the answer. Without any, you are asked at a terminal.' },
        { flag: "--json '{…}'", text: 'All fields as one JSON object.' },
        { flag: '--key <key>', text: 'The question to answer, if there are several.' },
        { flag: '--action <action>', text: 'accept, decline or cancel. [accept]' },
      ],
    },
    {
      title: 'Output and connection',
      options: [
        json,
        { flag: '--config <file>', text: 'Use a server of this file ("mcpServers").' },
        { flag: '--server <name>', text: 'With --config: the server, in place of its name as a word.' },
        { ...revision, text: `${revision.text} [the version in which the task began]` },
        {
          flag: '--timeout <time>',
          text:
            'Time for the whole command; the task continues after it. The time in which you are asked does not count. ' +
            '[60s for each answer]',
        },
        ...reaching,
        extensionFlag,
      ],
    },
    authorization,
  ],
  details: [
    'A server that a command started ends with that command. Its tasks end too, unless the server stores them elsewhere.',
    '`list` shows your own tasks. Only servers of 2025-11-25 can list tasks.',
  ],
};
