import { authorization, json, output, questionGroup, serverConnection } from './shared-options.ts';
import type { HelpExample, HelpOption, HelpTopic } from './topic.ts';

const wholeTime = 'Time for the whole command. [60s for each answer]';

const wholeJson: HelpOption = { ...json, text: 'Print the whole result as JSON.' };

/** Help on one of these commands. */
interface Use extends Pick<HelpTopic, 'name' | 'summary' | 'about'> {
  readonly examples: readonly HelpExample[];
  /** The words about what the server is to do. */
  readonly words: string;
  readonly options: readonly HelpOption[];
  readonly timeout?: string;
}

function topicOf({ words, options, timeout = wholeTime, ...use }: Use): HelpTopic {
  return {
    ...use,
    usage: [
      `[options] <url|file> ${words}`,
      `[options] ${words} -- <command> [<argument>…]`,
      `[options] --config <file> <server> ${words}`,
    ],
    groups: [{ title: 'Options', options }, questionGroup, serverConnection(timeout), authorization],
  };
}

/** The commands that use one part of a server. */
export const useTopics: readonly HelpTopic[] = [
  topicOf({
    name: 'read',
    summary: 'read a resource',
    examples: [['parley read http://127.0.0.1:3000/mcp example://manual', 'print its contents']],
    words: '<uri>',
    options: [wholeJson, { ...output, text: 'Save the contents in this file. Several are saved in a folder.' }],
  }),
  topicOf({
    name: 'prompt',
    summary: 'fill in a prompt',
    examples: [['parley prompt http://127.0.0.1:3000/mcp greet name=Ada', 'print its messages']],
    words: '<prompt> [<name>=<value>…]',
    options: [
      { flag: '<name>=<value>', text: 'An argument.' },
      { flag: "--json '{…}'", text: 'All arguments as one JSON object. Single arguments are added to it.' },
      wholeJson,
      output,
    ],
  }),
  topicOf({
    name: 'complete',
    summary: 'suggest values for an argument of a prompt or of a resource template',
    examples: [
      ['parley complete http://127.0.0.1:3000/mcp greet tone f', 'an argument of a prompt'],
      ["parley complete http://127.0.0.1:3000/mcp 'example://cities/{city}' city L", 'a variable of a template'],
    ],
    words: '<prompt|template> <argument> [<beginning>]',
    about: ['Prints one value a line. <name>=<value> at the end is another argument that is filled in already.'],
    options: [wholeJson],
  }),
  topicOf({
    name: 'watch',
    summary: 'print each change of a resource',
    examples: [['parley watch http://127.0.0.1:3000/mcp example://manual', 'until Ctrl-C']],
    words: '<uri>…',
    about: [
      'Subscribes to the resource, and prints a line for each change. `parley read` prints the new contents. The exit ' +
        'code is 0 after Ctrl-C.',
    ],
    options: [{ ...json, text: 'Print one JSON object a line.' }],
    timeout: 'Time for connecting and subscribing. [60s for each answer]',
  }),
  topicOf({
    name: 'send',
    summary: 'send any request, and print its result as JSON',
    examples: [
      ['parley send http://127.0.0.1:3000/mcp tools/list', 'without parameters'],
      [
        `parley send http://127.0.0.1:3000/mcp tools/call '{"name":"add","arguments":{"a":1,"b":2}}'`,
        'with parameters',
      ],
    ],
    words: "<method> ['{…}']",
    about: [
      'Neither the parameters nor the result are validated. An error is printed with its code and data. A method that ' +
        'begins with notifications/ is sent as a notification, which has no result.',
    ],
    options: [{ flag: "--json '{…}'", text: 'The parameters, as after the method.' }],
  }),
];
