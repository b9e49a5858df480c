import { json, loginFlags } from './shared-options.ts';
import type { HelpTopic } from './topic.ts';

export const loginTopic: HelpTopic = {
  name: 'login',
  summary: 'sign in at a server',
  examples: [
    ['parley login https://mcp.example.com/mcp', 'in your browser'],
    ['parley login --no-browser https://mcp.example.com/mcp', 'the browser is on another machine'],
    ['parley login --device https://mcp.example.com/mcp', 'with a code that you enter on any device'],
  ],
  usage: ['[options] <url>'],
  about: [
    'Finds the authorization server, opens its page in your browser, and stores the tokens. `parley call`, `bridge` and ' +
      'the other commands use them and refresh them. No secret is printed.',
  ],
  groups: [
    {
      title: 'Options',
      options: [
        {
          flag: '--device',
          text:
            'Print a page and a code that you enter there (RFC 8628). This is never the default: an attacker could talk you ' +
            'into entering a code of theirs.',
        },
        ...loginFlags,
      ],
    },
  ],
  details: [
    'A new login deletes the login that it replaces. If another client or another person signed in before, it also ' +
      'revokes the old tokens.',
    'The next login at the same server uses these options again, unless it names an issuer or a client. `parley logout` ' +
      'deletes them.',
  ],
};

export const logoutTopic: HelpTopic = {
  name: 'logout',
  summary: 'sign out at a server',
  examples: [
    ['parley logout https://mcp.example.com/mcp', 'revoke and delete all logins at this server'],
    ['parley logout --all', 'at all servers'],
  ],
  usage: ['[options] <url>', '[options] --all'],
  about: ['A URL without a query stands for each login that `parley whoami` shows with that URL.'],
  groups: [
    {
      title: 'Options',
      options: [
        { flag: '--all', text: 'Sign out at all servers, with all accounts.' },
        { flag: '--account <name>', text: 'Sign out only this account. With --all, at all servers.' },
        {
          flag: '--forget-client',
          text: 'Also delete the stored client registration, even if no user is signed in.',
        },
        { flag: '--client-id <id>', text: 'The client, if you registered it yourself.', isRare: true },
        { flag: '--client-secret-env NAME', text: 'Read the secret of that client from this variable.', isRare: true },
        { flag: '--issuer <url>', text: 'The authorization server of that client.', isRare: true },
      ],
    },
  ],
  exitCodes:
    '0 success, 1 tokens were deleted here but could not be revoked and stay valid until they expire, or a stored ' +
    'login could not be read, 2 wrong command line, 3 does not occur.',
};

export const whoamiTopic: HelpTopic = {
  name: 'whoami',
  summary: 'show where you are signed in',
  examples: [
    ['parley whoami', 'all logins'],
    ['parley whoami https://mcp.example.com/mcp', 'the logins at one server'],
  ],
  usage: ['[--json] [--account <name>] [<url>]'],
  about: [
    'Prints the account, authorization server, resource, subject, scopes and expiry of each login. It never prints a ' +
      'token or the query of a URL.',
  ],
  groups: [{ title: 'Options', options: [json, { flag: '--account <name>', text: 'Show only this account.' }] }],
  exitCodes: '0 there is a login, 1 there is none, 2 wrong command line, 3 does not occur: no server is asked.',
};
