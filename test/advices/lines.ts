/** Command lines that are rejected with an advice, and the lines that follow the advice. */

import { checkLines } from './check-lines.ts';

/** One of them. */
export interface AdvisedLine {
  /** The advice as it stands in the source; `${}` is what is put in. */
  readonly text: string;
  /** The words of a line that is rejected: `{url}`, `{config}` and others are replaced. */
  readonly wrong: string;
  /** Lines that follow the advice; `$1` is what the error names in the place of the first `${}`. */
  readonly right: readonly string[];
  /** What shows that they work, if they end by a signal alone. */
  readonly until?: RegExp;
  /** The code with which they end; 0. */
  readonly code?: number;
}

const serves = { until: / {2}serves / };
const shows = { until: /Parley shows it at/ };

const use: readonly AdvisedLine[] = [
  {
    text: 'this command takes no arguments as JSON; --json prints JSON',
    wrong: 'read --json {"a":1} {url} example://manual',
    right: ['read --json {url} example://manual'],
  },
  {
    text: '--decline gives no answers; leave it out, or --answer',
    wrong: 'call {url} book city=Oslo --decline --answer day=2026-12-24 --answer seat=any',
    right: [
      'call {url} book city=Oslo --answer day=2026-12-24 --answer seat=any',
      'call {url} book city=Oslo --decline',
    ],
  },
  {
    text: '--answers is no file that can be read: ${}',
    wrong: 'call {url} book city=Oslo --answers {folder}/none.json',
    right: ['call {url} echo message=a --answers {args}'],
  },
  {
    text: '--answers must be a file with a JSON object, such as {"name":"Ada"}: ${}',
    wrong: 'call {url} echo message=a --answers {token}',
    right: ['call {url} echo message=a --answers {args}'],
  },
  {
    text: '--extension takes an id with a prefix, and its settings as JSON: com.example/maps or com.example/maps={"zoom":3}, not ${}',
    wrong: 'call {url} --extension maps',
    right: ['call {url} --extension com.example/maps', 'call {url} --extension com.example/maps={"zoom":3}'],
  },
  {
    text: '--output saves a result; name a tool to call',
    wrong: 'call {url} --output {folder}/sun.png',
    right: ['call {url} picture --output {folder}/sun.png'],
  },
];

const bridge: readonly AdvisedLine[] = [
  {
    text: '--${} is for HTTP, and does not go with --stdio',
    wrong: 'bridge --stdio --port 0 {url}',
    right: ['bridge --port 0 {url}', 'bridge --stdio {url}'],
    ...serves,
  },
  {
    text: '--path must begin with / and have no query, unlike ${}',
    wrong: 'bridge --port 0 --path mcp {url}',
    right: ['bridge --port 0 --path /mcp {url}'],
    ...serves,
  },
  {
    text: '--path must be written as in a URL: ${}, not ${}',
    wrong: 'bridge --port 0 --path /ä {url}',
    right: ['bridge --port 0 --path $1 {url}'],
    ...serves,
  },
  {
    text: '--host must name an address, and is empty',
    wrong: 'bridge --port 0 --host= {url}',
    right: ['bridge --port 0 --host 127.0.0.1 {url}'],
    ...serves,
  },
  {
    text: '--allow-origin takes an origin such as https://app.example, not ${}',
    wrong: 'bridge --port 0 --allow-origin app {url}',
    right: ['bridge --port 0 --allow-origin https://app.example {url}'],
    ...serves,
  },
  {
    text: '--trusted-proxy needs --proxy-header ${}, whichever the proxies write',
    wrong: 'bridge --port 0 --trusted-proxy 10.0.0.1 {url}',
    right: [
      'bridge --port 0 --trusted-proxy 10.0.0.1 --proxy-header x-forwarded-for {url}',
      'bridge --port 0 --trusted-proxy 10.0.0.1 --proxy-header forwarded {url}',
    ],
    ...serves,
  },
  {
    text: '--proxy-header needs --trusted-proxy <address>: without it the header is not used',
    wrong: 'bridge --port 0 --proxy-header forwarded {url}',
    right: ['bridge --port 0 --proxy-header forwarded --trusted-proxy 10.0.0.1 {url}'],
    ...serves,
  },
  {
    text: '--limit takes a number for each second, minute or hour, such as 20/s, tools=60/m or initialize=30/h (of ${}), not ${}',
    wrong: 'bridge --port 0 --limit fast {url}',
    right: ['bridge --port 0 --limit 20/s --limit tools=60/m --limit initialize=30/h {url}'],
    ...serves,
  },
  {
    text: '--limit for ${} is given twice',
    wrong: 'bridge --port 0 --limit tools=1/s --limit tools=2/s {url}',
    right: ['bridge --port 0 --limit $1=1/s {url}'],
    ...serves,
  },
  {
    text: '--${} is for servers of a --config file',
    wrong: 'bridge --port 0 --prefix always {url}',
    right: ['bridge --port 0 --$1 always --config {config}'],
    ...serves,
  },
  {
    text: 'parley start takes no arguments, such as ${}; parley bridge does',
    wrong: 'start {url}',
    right: ['bridge --port 0 {url}'],
    ...serves,
  },
  {
    text: '--config names the servers; give no URL and no command beside it',
    wrong: 'bridge --port 0 --config {config} {url}',
    right: ['bridge --port 0 --config {config}'],
    ...serves,
  },
  {
    text: '--${} is for one server; in the file each has its own',
    wrong: 'bridge --port 0 --config {config} --header X-A:b',
    right: ['bridge --port 0 --config {config-with-headers}'],
    ...serves,
  },
  {
    text: '${}; --config-errors skip runs the others',
    wrong: 'bridge --port 0 --config {half-wrong} --config-errors fail',
    right: ['bridge --port 0 --config {half-wrong} --config-errors skip'],
    ...serves,
  },
  {
    text: '--redis must be a URL, and is empty',
    wrong: 'bridge --port 0 --redis= {url}',
    right: ['bridge --port 0 {url}'],
    ...serves,
  },
  {
    text: '--redis-name goes with --redis or PARLEY_REDIS_URL',
    wrong: 'bridge --port 0 --redis-name a {url}',
    right: ['bridge --port 0 {url}'],
    ...serves,
  },
  {
    text: '--otel-trust goes with --otel',
    wrong: 'bridge --port 0 --otel-trust link {url}',
    right: ['bridge --port 0 {url}'],
    ...serves,
  },
];

const calls: readonly AdvisedLine[] = [
  {
    text: '--config names the servers; give no command beside it',
    wrong: 'call --config {config} here -- node',
    right: ['call --config {config} here'],
  },
  {
    text: '--task calls a tool: name one after the URL, or after a second -- behind the command',
    wrong: 'call --task -- {command} countdown from=1',
    right: ['call --task -- {command} -- countdown from=1', 'call --task {url} countdown from=1'],
  },
  { text: '--${} goes with --task', wrong: 'call --ttl 1000 {url} add a=1 b=2', right: ['call {url} add a=1 b=2'] },
  {
    text: '--${} is for a server that is typed; in the file each has its own',
    wrong: 'call --config {config} --header X-A:b here',
    right: ['call --header X-A:b {url}', 'call --config {config-with-headers} here'],
  },
  {
    text: `the arguments of --json must be an object, such as '{"name":"value"}'`,
    wrong: 'call --json=[1] {url} add',
    right: ['call --json={"a":1,"b":2} {url} add'],
  },
  {
    text: '--env is for a server that a command starts',
    wrong: 'call --env A=b {url}',
    right: ['call --env A=b -- {command}'],
  },
  {
    text: '--header is for a server at a URL',
    wrong: 'call --header X-A:b -- {command}',
    right: ['call --header X-A:b {url}'],
  },
  {
    text: 'the variable ${}, which --env is to pass on, is not set',
    wrong: 'call --env NOT_SET -- {command}',
    right: ['call --env $1=x -- {command}', 'call --env SET -- {command}'],
  },
  {
    text: 'there is no ${} ${}${}; parley --help lists what there is',
    wrong: 'xyz',
    right: ['--help'],
  },
  { text: 'there is no command ${}${}; parley --help lists them', wrong: 'help xyz', right: ['--help'] },
  { text: 'parley example takes no arguments, such as ${}', wrong: 'example a', right: ['example --help'] },
  {
    text: '--${} takes ${}, not ${}',
    wrong: 'call --login maybe {url}',
    right: ['call --login auto {url}', 'call --login never {url}'],
  },
  { text: 'there is no parley tasks ${}', wrong: 'tasks have', right: ['tasks list --help'] },
];

const logins: readonly AdvisedLine[] = [
  { text: '--${} is for a server at a URL', wrong: 'call --account a -- {command}', right: ['call --account a {url}'] },
  {
    text: '--${} and an Authorization header say two things',
    wrong: 'call --token-env SET --header Authorization:x {url}',
    right: ['call --token-env SET {url}', 'call --header Authorization:x {url}'],
  },
  {
    text: '--${} is about asking you to sign in, and --login never does not',
    wrong: 'call --login never --redirect-port 8000 {url}',
    right: ['call --login never {url}', 'call --redirect-port 8000 {url}'],
  },
  {
    text: '--no-browser reads an address from standard input, which is the client here; run parley login --no-browser before',
    wrong: 'bridge --stdio --no-browser {url}',
    right: ['bridge --stdio {url}'],
    ...serves,
  },
  {
    text: '--token-env and --token-file say two things',
    wrong: 'call --token-env SET --token-file {token} {url}',
    right: ['call --token-env SET {url}', 'call --token-file {token} {url}'],
  },
  {
    text: '--${} is about a login, and --${} takes its place',
    wrong: 'call --token-env SET --account a {url}',
    right: ['call --token-env SET {url}', 'call --account a {url}'],
  },
  {
    text: '--no-browser is for one server; run parley login --no-browser for each of those in the file',
    wrong: 'call --config {config} --no-browser here',
    right: ['call --config {config} here'],
  },
  {
    text: '--${} is for one server; in the file each has its own "headers"',
    wrong: 'call --config {config} --token-env SET here',
    right: ['call --config {config-with-headers} here'],
  },
  {
    text: '--${} is for one server; in the file each has its own "oauth"',
    wrong: 'call --config {config} --client-id a here',
    right: ['call --config {config-with-oauth} here'],
  },
  {
    text: '--${} is for servers at a URL without credentials of their own, and the file names none',
    wrong: 'call --config {config-with-headers} --account a here',
    right: ['call --config {config} --account a here'],
  },
  {
    text: 'the time that a person may take is --login-timeout, in seconds',
    wrong: 'login --timeout 5 {url}',
    right: ['call --login-timeout 5 {url}'],
  },
  { text: '--all takes no URL', wrong: 'logout --all {url}', right: ['logout --all', 'logout {url}'] },
  {
    text: '--client-secret-env goes with --client-id',
    wrong: 'call --client-secret-env SET {url}',
    right: ['call --client-secret-env SET --client-id a --issuer https://as.example {url}'],
  },
  {
    text: '--as-metadata takes a JSON object such as \'{"code_challenge_methods_supported":["S256"]}\'',
    wrong: 'call --issuer https://as.example --as-metadata x {url}',
    right: ['call --issuer https://as.example --as-metadata {"code_challenge_methods_supported":["S256"]} {url}'],
  },
];

const pages: readonly AdvisedLine[] = [
  {
    text: '--open shows a recording; give no server beside it',
    wrong: 'inspect --no-open --open {recording} {url}',
    right: ['inspect --no-open --open {recording}'],
    ...shows,
  },
  {
    text: '--server names one of --config; give a file too',
    wrong: 'inspect --no-open --server here',
    right: ['inspect --no-open --server here --config {config}'],
    ...shows,
  },
  {
    text: '--config names the servers; give no URL and no command',
    wrong: 'explain --config {config} {url}',
    right: ['explain --config {config}', 'explain {url}'],
  },
  {
    text: '--config names the servers; give no other',
    wrong: 'inspect --no-open --config {config} {url}',
    right: ['inspect --no-open --config {config}', 'inspect --no-open {url}'],
    ...shows,
  },
  {
    text: '${} servers are too many for a page, which has ${}; choose one by --server',
    wrong: 'inspect --no-open --config {many}',
    right: ['inspect --no-open --config {many} --server s7'],
    ...shows,
  },
  {
    text: '--watch is for a server that a command starts',
    wrong: 'inspect --no-open --watch {url}',
    right: ['inspect --no-open --watch -- {command}'],
    ...shows,
  },
  {
    text: 'the command names no file; say which folder to watch: --watch=<folder>',
    wrong: 'inspect --no-open --watch -- true',
    right: ['inspect --no-open --watch={folder} -- true'],
    ...shows,
  },
  {
    text: '--${} does not go with --config, which has its own',
    wrong: 'explain --config {config} --header X-A:b',
    right: ['explain --config {config-with-headers}'],
  },
];

/** Every such line. */
export const advisedLines: readonly AdvisedLine[] = [...use, ...bridge, ...calls, ...logins, ...pages, ...checkLines];
