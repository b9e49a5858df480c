/** Mistakes that a person makes at the command line, each with what is printed. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inThisProcess } from '../../../../test/support/cli-process.ts';
import { listen, type Listening } from '../../../parley/src/transports/node/server/http.ts';
import { createExampleServer } from './example/server.ts';

const server = createExampleServer();
let http: Listening;
before(async () => (http = await listen(server, { port: 0 })));
after(async () => {
  await http.close();
  await server.close();
});

/** The words of a line, in which `URL` stands for that of a server, the exit code, and the message. */
const mistakes: readonly (readonly [line: string, code: number, message: string])[] = [
  // Commands.
  ['cal URL', 2, 'there is no command "cal"; the nearest name is "call"; parley --help lists what there is'],
  ['tools URL', 2, 'there is no command "tools"; use call; parley --help lists what there is'],
  ['serve URL', 2, 'there is no command "serve"; use bridge; parley --help lists what there is'],
  ['--url URL', 2, 'there is no option "--url"; parley --help lists what there is'],
  ['help cal', 2, 'there is no command "cal"; the nearest name is "call"; parley --help lists them'],
  // Servers.
  ['call', 2, 'give the URL of a server, or -- and the command that starts one'],
  ['explain', 2, 'give the URL of a server, or -- and the command that starts one'],
  ['call HOST/mcp', 2, '"HOST/mcp" is not a URL, since it has no scheme: write URL; a command goes after --'],
  ['call add a=1 b=2 URL', 2, 'the server comes first: write "URL" before "add"'],
  ['call node server.js', 2, '"node" is a command, which goes after --, as in -- node …'],
  ['call server.js', 2, 'there is no file "server.js"'],
  [
    'call server.py',
    2,
    'Node does not run "server.py"; write the command that does after --, such as -- python server.py',
  ],
  [
    'call ws://x/mcp',
    2,
    '"ws://x/mcp" is no http: or https: URL, by which servers are reached; a command goes after --',
  ],
  ['call --', 2, 'no command follows --'],
  ['call URL -- node server.js', 2, '"URL" stands before --; give a URL or a command, not both'],
  ['call --server x', 2, '--server names one of --config; give a file too'],
  ['call --config none.json x', 2, 'cannot read none.json: the file does not exist'],
  // Arguments.
  ['call URL ad a=1', 1, 'the nearest name is "add"'],
  ['call URL add', 2, 'add needs a (number), b (number)'],
  ['call URL add a=1', 2, 'add needs b (number)'],
  ['call URL add 1 2', 2, '"1" is no argument; arguments are given as name=value, without spaces'],
  ['call URL add a = 1', 2, '"a" is no argument; arguments are given as name=value, without spaces'],
  ['call URL add a:1 b:2', 2, '"a:1" is no argument; an argument is written a=1'],
  ['call URL add --a 1 --b 2', 2, 'there is no option "--a"; an argument of the server is written a=1'],
  ['call URL add --a=1', 2, 'there is no option "--a"; an argument of the server is written a=1'],
  ['call URL add a=one b=2', 2, 'argument a must be number, not "one"'],
  ['call URL add {a:1}', 2, 'the arguments are not JSON: '],
  ['call URL add --json=[1]', 2, `the arguments of --json must be an object, such as '{"name":"value"}'`],
  ['call URL echo msg=hi', 2, 'echo needs message (string); echo has no argument "msg": it takes message'],
  ['call URL --json={"a":1}', 2, 'there are arguments, but no tool to give them to'],
  [
    'call URL book city=Oslo',
    1,
    'elicitation.form; give --answer <name>=<value> or --decline, or call it at a terminal',
  ],
  ['call URL rhyme', 1, 'sampling; give --sample <text>'],
  // Options.
  ['call URL --tiemout 5s', 2, 'there is no option "--tiemout"; the nearest name is "--timeout"'],
  ['call URL --timeout', 2, '--timeout takes a value, which is missing'],
  ['call URL --timeout soon', 2, '--timeout must be a time such as 5s or 500ms, from 1 to 2147483647 ms, not "soon"'],
  ['call URL --revision 2025', 2, 'unknown revision "2025"; known are 2024-11-05, '],
  ['call URL --header Authorization=x', 2, "a header is given as 'Name: value'"],
  ['call URL --env A=b', 2, '--env is for a server that a command starts'],
  ['call URL --task', 2, '--task calls a tool: name one after the URL'],
  ['call URL -o sun.png', 2, '--output saves a result; name a tool to call'],
  ['call URL add a=1 b=2 --answer c', 2, '--answer takes name=value, not "c"'],
  // Resources, prompts and other requests.
  ['read URL', 2, 'name a resource by its URI: after the URL, or before the -- of a command'],
  [
    'read URL sun.png',
    2,
    '"sun.png" is no URI of a resource, such as file:///a.txt; that of "sun.png" is example://sun.png',
  ],
  ['read URL example://manuel', 1, 'no resource at "example://manuel"; the nearest names are "example://manual", '],
  ['prompt URL', 2, 'name a prompt: after the URL, or before the -- of a command'],
  ['prompt URL greet', 2, 'greet needs name; write name=…'],
  ['prompt URL greet Ada', 2, '"Ada" is no argument; arguments are given as name=value, without spaces'],
  ['complete URL greet', 2, 'name a prompt or a URI template, then its argument, then the beginning of a value'],
  ['complete URL greet nme A', 0, 'the server suggests no value'],
  ['send URL', 2, 'name a method, such as tools/list: after the URL, or before the -- of a command'],
  ['send URL tools/list [1]', 2, `the parameters must be a JSON object, such as '{"name":"value"}'`],
];

for (const [line, code, message] of mistakes)
  test(`parley ${line}`, async () => {
    const { host } = new URL(http.url);
    const put = (text: string): string => text.replaceAll('URL', http.url).replaceAll('HOST', host);
    // The word itself stands in messages.
    const said = (text: string): string => text.replaceAll(http.url, 'URL').replaceAll(host, 'HOST');
    const ran = await inThisProcess(line.split(' ').map(put));
    assert.ok(said(ran.stderr).startsWith('parley: '), ran.stderr);
    assert.ok(said(ran.stderr).includes(message), ran.stderr);
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1, ran.stderr);
    assert.equal(ran.code, code);
  });

test('an argument that the schema does not name is told, and sent', async () => {
  const { code, stdout, stderr } = await inThisProcess(['call', http.url, 'forecast', 'city=Oslo', 'dyas=2', '--json']);
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).structuredContent.days.length, 3);
  assert.equal(
    stderr,
    'parley: forecast has no argument "dyas": it takes city, days; the nearest name is "days"; it is sent all the same\n',
  );
});

test('arguments are taken as one JSON object', async () => {
  const { stdout } = await inThisProcess(['call', http.url, 'add', '{"a":1}', 'b=2']);
  assert.deepEqual(JSON.parse(stdout), { sum: 3 });
});
