/** Options that several commands have. */

import type { HelpGroup, HelpOption } from './topic.ts';

export const json: HelpOption = { flag: '--json', text: 'Print JSON.' };

export const revision: HelpOption = {
  flag: '--revision <date>',
  text: 'Speak only this protocol version, such as 2025-11-25. Repeatable.',
};

/** Options for reaching a server. */
export const reaching: readonly HelpOption[] = [
  {
    flag: "--header 'Name: value'",
    text: 'Send this header with every request to a server at a URL. Its value is never printed. Repeatable.',
  },
  {
    flag: '--env NAME[=value]',
    text:
      'Set a variable for a server that is started by a command. NAME alone passes your own value on. ' +
      'Otherwise the server gets only PATH, HOME and similar variables. Repeatable.',
  },
];

/** Declares an extension. */
export const extensionFlag: HelpOption = {
  flag: '--extension <id>[={…}]',
  text: 'Declare this extension, such as com.example/maps, with its settings as JSON. Repeatable.',
  isRare: true,
};

/** Options that answer what a server asks. */
export const questionGroup: HelpGroup = {
  title: 'Questions of the server',
  options: [
    {
      flag: '--answer <name>=<value>',
      text: 'A field of each form that the server shows. Without it, you are asked at a terminal. Repeatable.',
    },
    { flag: '--answers <file>', text: 'The fields of forms, as a JSON object in a file.' },
    { flag: '--decline', text: 'Decline each question.' },
    { flag: '--sample <text>', text: 'Answer each sampling request with this text.' },
  ],
};

/** Saves the bytes of a result. */
export const output: HelpOption = {
  flag: '-o, --output <path>',
  text: 'Save the images, audio and bytes of the result in this file. Several are saved in a folder.',
};

/** The connection options of a command that uses one server. */
export function serverConnection(timeout: string): HelpGroup {
  return {
    title: 'Connection',
    options: [
      { flag: '--config <file>', text: 'Use a server of this file ("mcpServers"), with the settings of its entry.' },
      { flag: '--server <name>', text: 'With --config: the server, in place of its name before the other words.' },
      revision,
      { flag: '--timeout <time>', text: timeout },
      ...reaching,
      extensionFlag,
    ],
  };
}

/** Options for signing in, those of `parley login`. */
export const loginFlags: readonly HelpOption[] = [
  { flag: '--scope <scopes>', text: 'Request these scopes in addition to those that the server requires. Repeatable.' },
  { flag: '--account <name>', text: 'Keep several accounts at one server apart.' },
  {
    flag: '--no-browser',
    text: 'Print the address of the login page, and read the address where it ended. Default over SSH.',
  },
  { flag: '--client-id <id>', text: 'Use a client that you registered yourself. Needs --issuer.' },
  { flag: '--client-secret-env NAME', text: 'Read the secret of that client from this variable.' },
  {
    flag: '--client-metadata-url <url>',
    text: 'Use this client metadata document if the authorization server supports them.',
  },
  { flag: '--issuer <url>', text: 'Use only this authorization server.' },
  { flag: '--redirect-port <n>', text: 'Receive the redirect at this local port. [one of three]', isRare: true },
  {
    flag: '--no-resource-parameter',
    text: 'Do not send the parameter `resource`. Some authorization servers reject it (Entra).',
    isRare: true,
  },
  {
    flag: "--as-metadata '{…}'",
    text: 'Add metadata that the authorization server of --issuer does not publish.',
    isRare: true,
  },
  { flag: '--dpop', text: 'Accept only tokens that are bound to a key (DPoP).', isRare: true },
  {
    flag: '--login-timeout <time>',
    text: 'Wait this long for a person; a plain number is in seconds. [600; 300 while a call of a bridge waits]',
    isRare: true,
  },
  {
    flag: '--network-allow <host>',
    text: 'Allow an authorization server inside your network if the server is outside of it. Repeatable.',
    isRare: true,
  },
];

/** Authorization options of a command that uses a server. */
export const authorization: HelpGroup = {
  title: 'Authorization',
  options: [
    {
      flag: '--login auto|never|always',
      text:
        'Whether to ask you to sign in if the server requires it. auto: at a terminal, and in a bridge on standard ' +
        'input and output. The login of `parley login` is used in any case. [auto]',
    },
    { flag: '--token-env NAME', text: 'Read the access token from this variable.' },
    { flag: '--token-file <file>', text: 'Read the access token from this file for each request.' },
    ...loginFlags.map((option): HelpOption => ({ ...option, isRare: true })),
  ],
};

/** The group of the options with which a server is reached. */
export const connection: HelpGroup = { title: 'Connection', options: reaching };
