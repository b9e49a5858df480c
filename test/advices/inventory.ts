/**
 * Every text in the sources that tells a reader what to type or to set, by the test that does it and finds that it works. A text of a
 * rejected command line is in `lines.ts`.
 */

import { followedByPrograms } from './library-inventory.ts';

/** The texts by the test that follows them, in the order of its file. */
export const followed: readonly (readonly [file: string, title: string, texts: readonly string[]])[] = [
  ...followedByPrograms,
  [
    'packages/cli/src/commands/call/questions.test.ts',
    'a question that cannot be asked is answered by the options that the error names',
    ['${}; give --answer <name>=<value> or --decline, or call it at a terminal', '${}; give --sample <text>'],
  ],
  [
    'packages/cli/src/commands/bridge.test.ts',
    'warns that clients share the state of a server, unless it serves sessions alone',
    [
      '  warning  clients of ${} cannot be told apart here: they share the process or the session of a server, and what it asks or logs after an answer can reach the next of them (protect() of a program tells them apart; --revision 2025-11-25 gives each a session)\n',
    ],
  ],
  [
    'test/advices.test.ts',
    'a host and an origin that are refused are allowed by the options that the server prints',
    ['serve with --allow-host $1', 'serve with --allow-origin $1'],
  ],
  [
    'test/authorization/advice.test.ts',
    'a login that needed options is repeated with them until it is ended',
    ['parley: with the options of the last login there: ${}; parley logout drops them\n'],
  ],
  [
    'test/advices/check.test.ts',
    'a row that needs the name of a tool in another case is judged with --calls',
    ['it needs a tool that works, and its name in another case: --calls sum,SUM'],
  ],
  [
    'test/advices/check.test.ts',
    'a variable that a command lacks is passed on by the option that is advised',
    ['; variables of yours are passed on by --env NAME alone'],
  ],
  [
    'test/advices/check.test.ts',
    'reasons that are left out are printed with --verbose',
    ['  and for ${} more reasons: --verbose tells each'],
  ],
  [
    'test/advices/check.test.ts',
    'rows that need a tool are judged with --calls',
    ['${} need --calls or more tokens, ', 'it needs a tool to be called: --calls <name>'],
  ],
  [
    'test/advices/check.test.ts',
    'rows that need more tokens are judged with them',
    [
      'it needs the token of another user for this server: --other-token-env <name>',
      'it needs a token that the same issuer gave for another server: --foreign-token-env <name>',
    ],
  ],
  [
    'test/advices/inspect.test.ts',
    'a command in the address of the page is typed as the page says',
    ['No address starts a command here. Type it: parley inspect -- ${}'],
  ],
  [
    'test/advices/inspect.test.ts',
    'a server that wants credentials is shown with each option that is advised',
    ['by --header or --token-env (in a file by "headers" or "oauth")'],
  ],
  [
    'test/advices/keys.test.ts',
    'a key is given in each way that the error names of',
    [
      "${}: it wants authorization and says nowhere how to sign in (it has no metadata${}); give what its operator gave you, by --header 'Name: value' or --token-env${}",
    ],
  ],
  [
    'test/advices/keys.test.ts',
    'a server that wants no login is called, as the error of a login says',
    ['${} answers without a login: there is nothing to sign in to, and parley call works as it is'],
  ],
  [
    'test/advices/keys.test.ts',
    'credentials of another scheme, and those for the oldest clients, are given as `explain` says',
    [
      'with --header',
      'knows no authorization: a token has to be given to the client (--header)',
      'knows no other schemes, and says which are wanted; --header can hold such credentials',
    ],
  ],
  [
    'test/advices/keys.test.ts',
    'what a bridge adapts is in the JSON that `explain` names',
    ['What each connection has for itself (its revision, ping, headers, …) is not counted. --json tells how and why.'],
  ],
  ['test/advices/lines.test.ts', 'the line works that follows', [' or --proxy-header ']],
  [
    'test/advices/tasks.test.ts',
    'a page is answered with --action accept, as the error says',
    ['the task asks you to visit a page, which has no values: ${}; --action accept says that you did'],
  ],
  [
    'test/advices/tasks.test.ts',
    'a question of 2025-11-25 is answered without --key, as the error says',
    ['--key is for questions that have one: those of ${} have none'],
  ],
  [
    'test/advices/tasks.test.ts',
    'a reference of a listed task is printed by the command that a list names',
    ['${}parley tasks list --json gives a reference of each, which the other commands take\n'],
  ],
  [
    'test/advices/tasks.test.ts',
    'a task of a URL with a variable is found by the option that the error names',
    ['the task belongs to ${}, and its reference does not say where that is: ${} --config <file> <name>'],
  ],
  [
    'test/advices/tasks.test.ts',
    'an answer that is no acceptance is given without values, as the error says',
    ['--action ${} gives no values'],
  ],
  [
    'test/advices/tasks.test.ts',
    'one of two questions is answered with --key, as the error says',
    ['the task waits for ${} answers, so say with --key which one you give: ${}'],
  ],
  [
    'test/advices/tasks.test.ts',
    'tasks are listed without --revision, as the error says',
    ['tasks are listed within ${} alone: leave --revision out'],
  ],
  [
    'test/authorization/advice.test.ts',
    'an authorization server that does not say that it protects codes is used as the error advises',
    [
      'refuses to sign in; an operator who knows better says so with --issuer <issuer> --as-metadata \'{"code_challenge_methods_supported":["S256"]}\'',
    ],
  ],
  [
    'test/authorization/advice.test.ts',
    'prints the login that helps',
    [
      'the server wants ${}, and this command may not ask for it; run: ${}; what its operator gave you goes by --header or --token-env',
    ],
  ],
  [
    'test/authorization/advice.test.ts',
    'what whoami and logout advise ends what is kept',
    [
      'no user is signed in; parley login <url> does it\n',
      'grants are kept that no server uses; parley logout --all revokes and deletes them\n',
      'tokens of earlier logins may still be valid; parley logout <url> revokes them with those of today\n',
    ],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'a bridge that others reach takes a token in each way that its error names',
    ['--token-env, --token-file'],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'a check of a guarded server uses the login that it advises',
    ['  --token-env <name> takes a token from a variable; parley login <url> signs in, and is used then'],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'a check with a token that is bound to no key advises a login whose token is',
    ['it needs a token that is bound to a key: parley login --dpop <url> gets one, which is used then'],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'a client is named by its document, where `explain` prints the option for it',
    ['--client-metadata-url <url>'],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'options of a page and of a device are given one without the other',
    ['--${} is for the redirect from a page, and --device has no redirect'],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'the issuer that a client by hand lacks is named by the command that the error names',
    [
      '--${} needs --issuer: it is for one authorization server and shown to no other; parley explain <url> names it',
      '--client-id <id> --issuer ${}',
      'its operator has to register the client and give out its id, for --client-id',
      'is missing: a client is known to one authorization server and shown to no other; parley explain <url> names it',
    ],
  ],
  [
    'test/authorization/advised-logins.test.ts',
    'where there is no login by another device, the named ways sign in',
    [
      '${} has no sign-in through another device (its metadata name no device_authorization_endpoint): sign in without the option device',
      'without --device, or with --no-browser where there is no browser',
    ],
  ],
  [
    'test/authorization/oidc-provider.test.ts',
    'a server that takes bound tokens alone is told of by name, and gets them where they are allowed',
    ["${} takes tokens alone that are bound to a key (DPoP): set dpop to 'auto'"],
  ],
  [
    'test/check/slow-server.test.ts',
    'what a very slow server does not answer cuts a run short, and it is said what waits long enough',
    [
      'answers were not waited for as long as the server may need: --timeout ${} does',
      '${}: --timeout ${} waits long enough',
    ],
  ],
  [
    'test/inspect/exports.test.ts',
    'a call that is copied as a line of parley call is made by it, before and after it was made',
    [' --json ${}', '--config ${} ${}', '--header ${}" $${}"', '--env ${}="$${}"', '--env ${}', '--token-env ${}'],
  ],
  [
    'test/inspect/exports.test.ts',
    'a call that is copied as curl is made by curl',
    ['curl -sS --globoff -X ${} ${}', '--data-raw ${}'],
  ],
  [
    'test/inspect/files.test.ts',
    'a server is started anew when its files change, and what is new in it is marked',
    ['not restarted any more for ${}, which changes at each start; --watch=<folder> watches another'],
  ],
  [
    'test/inspect/files.test.ts',
    'whatever crosses any server is recorded from the beginning',
    ['this entry left memory; --record FILE keeps all'],
  ],
  [
    'test/inspect/gone.test.ts',
    'a process that ended is told of, with what to do, and what was done in vain too',
    [
      'The process of parley inspect does not answer. If it ended, start it again and open the address that it prints; this page shows the earlier state.',
    ],
  ],
  [
    'test/inspect/token.test.ts',
    'the address that a program opens has no token, and is good once',
    [
      'this address is used up; open the one that parley inspect printed',
      'this address was good for two minutes; open the one that parley inspect printed',
      'the token of this run is missing or another; open the address that parley inspect printed',
    ],
  ],
];
