import { newestRevision } from '../../../../parley/src/protocol/revision.ts';
import { authorization, connection } from './shared-options.ts';
import type { HelpGroup, HelpTopic } from './topic.ts';

const serving: HelpGroup = {
  title: 'Serving',
  options: [
    { flag: '--stdio', text: 'Serve one client on standard input and output. End when the input ends.' },
    { flag: '--port <n>', text: 'HTTP: the port; 0 for any free one. [$PORT or 3000]' },
    { flag: '--host <address>', text: 'HTTP: the address to bind to. [$HOST or 127.0.0.1]' },
    { flag: '--path <path>', text: 'HTTP: the path of the endpoint. [/mcp]' },
    {
      flag: '--allow-host <name>',
      text: 'HTTP: a host name that clients may use, in addition to localhost and --host. Repeatable.',
    },
    {
      flag: '--allow-origin <origin>',
      text: 'HTTP: the origin of a web page that may connect, in addition to those on localhost. Repeatable.',
    },
    {
      flag: '--trusted-proxy <address>',
      text:
        'HTTP: a proxy, or a range of them such as 10.0.0.0/8, whose header names the client. Limits by address then ' +
        'count clients. Without it, no such header is used. Repeatable.',
      isRare: true,
    },
    {
      flag: '--proxy-header <name>',
      text: 'HTTP: the header of the proxy: x-forwarded-for or forwarded.',
      isRare: true,
    },
    { flag: '--health', text: 'HTTP: answer /livez and /readyz.', isRare: true },
    {
      flag: '--ready-ms <n>',
      text: 'HTTP: at the end, continue to serve for this time while /readyz answers 503. [0]',
      isRare: true,
    },
    {
      flag: '--drain-ms <n>',
      text: 'HTTP: after that, wait this long for running calls. In front of commands, the bridge ends within 5 seconds. [10000]',
      isRare: true,
    },
  ],
};

const versions: HelpGroup = {
  title: 'Protocol versions',
  options: [
    { flag: '--revision <date>', text: 'Speak only this version to clients, such as 2025-11-25. Repeatable.' },
    { flag: '--upstream-revision <date>', text: 'Speak only this version to the server. Repeatable.' },
  ],
};

const limits: HelpGroup = {
  title: 'Limits',
  options: [
    {
      flag: '--limit [<what>=]<n>/s',
      text:
        'How often each client may send requests. <what> is tools, completions or initialize; without it, all requests ' +
        'count. /s, /m or /h for second, minute or hour. The same number may arrive at once. Repeatable.',
    },
    {
      flag: '--max-upstreams <n>',
      text:
        'How many processes or sessions of servers may exist at once. The one that was idle longest ends when a new ' +
        'client needs one; its client gets 404 and begins a new session. If all are busy, the new client gets an error ' +
        'and can retry. [64]',
      isRare: true,
    },
    {
      flag: '--max-upstreams-per-client <n>',
      text: 'How many of them one address may have. [half of --max-upstreams]',
      isRare: true,
    },
  ],
};

const operation: HelpGroup = {
  title: 'Several processes and telemetry',
  options: [
    {
      flag: '--redis <url>',
      text:
        'Share input requests and suspended calls with other processes that use the same Redis. Prefer ' +
        '$PARLEY_REDIS_URL: other users of this machine can read arguments. Needs the package ioredis and $PARLEY_KEYS ' +
        '(keys of 32 bytes in base64, the newest first).',
      isRare: true,
    },
    { flag: '--redis-name <name>', text: 'Keep several services in one Redis apart. [parley]', isRare: true },
    {
      flag: '--otel',
      text:
        'Send spans and metrics to the OpenTelemetry SDK that a module of yours registers. Load that module with ' +
        'NODE_OPTIONS="--import ./telemetry.mjs" node_modules/.bin/parley bridge --otel …. It needs the packages ' +
        '@opentelemetry/api@1.9, @opentelemetry/sdk-trace-node@2 and @opentelemetry/exporter-trace-otlp-http@0.223. ' +
        'docs/observability.md has the module.',
      isRare: true,
    },
    {
      flag: '--otel-trust parent|link',
      text:
        'parent: continue the traces of clients. link: only link them, so that clients choose neither trace ids nor ' +
        'sampling. [parent]',
      isRare: true,
    },
  ],
};

const groups: readonly HelpGroup[] = [serving, versions, limits, operation];

export const bridgeTopic: HelpTopic = {
  name: 'bridge',
  summary: 'one endpoint for clients of every version, in front of any server',
  examples: [
    ['parley bridge -- npx -y @modelcontextprotocol/server-everything', 'a command, over HTTP'],
    ['parley bridge --stdio https://mcp.example.com/mcp', 'a remote server, over standard input and output'],
    ['parley bridge --stdio --config servers.json', 'several servers as one'],
  ],
  usage: ['[options] <url>', '[options] -- <command> [<argument>…]', '[options] --config <file>'],
  about: [
    'Clients of every protocol version can use the server, whatever version it speaks. The bridge serves HTTP, or ' +
      'standard input and output with --stdio.',
  ],
  groups: [
    ...groups,
    {
      title: 'Several servers',
      options: [
        { flag: '--config <file>', text: 'Merge the servers of this file ("mcpServers") into one.' },
        { flag: '--server <name>', text: 'With --config: bridge only this server.' },
        {
          flag: '--prefix collisions|always',
          text: 'When to write names as server__name: if servers use the same name, or always. [collisions]',
          isRare: true,
        },
        {
          flag: '--config-errors skip|fail',
          text: 'If an entry is wrong: run the others, or none. [skip]',
          isRare: true,
        },
      ],
    },
    connection,
    authorization,
  ],
  details: [
    'If other machines can reach the bridge, it answers only to names that --allow-host lists. This keeps web pages from ' +
      'reaching it through a host name of their own.',
    'The bridge remembers a server that was used with a login. The next time, it starts at once even if the login has ' +
      'expired. The first call that needs a login asks for it, through the client if that can show pages, otherwise with a page ' +
      'in your browser, and then continues. With --login never the call fails and names the command that signs in.',
    'The file has the form that hosts use: {"mcpServers": {"name": {…}}}, or "servers" in place of "mcpServers". It may ' +
      'contain comments and trailing commas. An entry starts a server ("command", "args", "env", "envFile", "cwd") or names ' +
      'a running one ("url", "headers", and "type": "sse" for HTTP+SSE). ${NAME} inserts a variable of the environment; in ' +
      '"args" a variable that "env" sets is left to the program. "disabled": true and "enabled": false leave an entry out. ' +
      '"disabledTools", "includeTools" and similar keys select tools. "revisions": […] lists the versions to speak to the ' +
      `server. "sharing": "shared" gives all clients one connection; servers before ${newestRevision.date} cannot send ` +
      'questions on it. The bridge retries a server that it cannot reach, and adds it later.',
    'With --config, each server at a URL uses the login that is stored for it. From the login options, only --login, ' +
      '--account, --login-timeout and --network-allow apply to all servers. An Authorization header in "headers" is sent as ' +
      'it is. "oauth" has the other settings: {"clientId", "clientSecret" or "clientSecretEnv", "issuer", "scopes", ' +
      '"callbackPort", "account", …} for a client that you registered yourself. "grantType": "client_credentials" signs in ' +
      'without a person, with a secret or a key in "privateKeyFile" or "privateKeyEnv". "oauth": false never signs in. ' +
      'docs/authorization.md lists all keys.',
  ],
};

export const startTopic: HelpTopic = {
  name: 'start',
  summary: 'the bridge in front of the example server',
  examples: [
    ['parley start', 'serve http://127.0.0.1:3000/mcp'],
    ['parley call http://127.0.0.1:3000/mcp', 'in another terminal'],
  ],
  usage: ['[options]'],
  groups,
};
