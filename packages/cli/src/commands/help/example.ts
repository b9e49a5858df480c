import type { HelpTopic } from './topic.ts';

export const exampleTopic: HelpTopic = {
  name: 'example',
  summary: 'a small example server on standard input and output',
  examples: [
    ['parley call -- parley example', 'list what it offers'],
    ['parley call forecast city=Oslo -- parley example', 'call a tool'],
  ],
  usage: [''],
  about: ['The server has tools, resources and prompts of every kind.'],
  groups: [],
};
