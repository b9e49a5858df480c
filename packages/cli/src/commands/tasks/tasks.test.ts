import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { listen } from '../../../../parley/src/transports/node/server/http.ts';
import { createServer, type Server } from '../../../../parley/src/server/server.ts';
import {
  exampleCommand,
  inThisProcess,
  run,
  start,
  withTimes,
  type Ran,
} from '../../../../../test/support/cli-process.ts';
import { run as runCommand } from '../run.ts';

/** A server whose tools are tasks: one that ends when it is told to, and one that asks. */
function createTaskServer(finished: Promise<unknown>): Server {
  const server = createServer({ name: 'tasks', version: '1' });
  server.tool('quick', { task: { support: 'optional', after: 0 } }, () => 'done');
  server.tool('slow', { task: { support: 'optional', after: 0 } }, async (_, ctx) => {
    ctx.progress(1, 2, 'half\u001b[2J');
    await Promise.race([finished, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))]);
    return 'late';
  });
  server.tool('ask', { task: 'required' }, async (_, ctx) => {
    const answer = await ctx.elicit({
      message: 'Whose\u001b[2J name?',
      schema: {
        type: 'object',
        properties: { name: { type: 'string' }, copies: { type: 'integer', minimum: 1, default: 2 } },
        required: ['name'],
      },
    });
    return JSON.stringify(answer);
  });
  server.tool('plain', {}, () => 'plain');
  return server;
}

interface Served {
  readonly url: string;
  /** Ends the slow tasks. */
  readonly finish: () => void;
}

async function withTasks(use: (served: Served) => Promise<void>): Promise<void> {
  let finish = (): void => undefined;
  const server = createTaskServer(new Promise<void>((resolve) => (finish = resolve)));
  const http = await listen(server, { port: 0 });
  try {
    await use({ url: http.url, finish });
  } finally {
    finish();
    await http.close();
    await server.close();
  }
}

/** Begins a task, and gives its reference. */
async function begun(url: string, tool: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await inThisProcess(['call', '--task', '--detach', ...words, url, tool]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\{"server":"[^\n]*\}\n$/);
  return stdout.trim();
}

/** The reference that a line of advice has, as a shell would read it. */
function quoted(text: string): string {
  return /'(\{.*\})'/.exec(text)?.[1] ?? '';
}

/** A terminal: what is typed is an answer to what was shown last. */
async function atTerminal(
  argv: readonly string[],
  answers: readonly (readonly [prompt: string, line: string])[] = [],
): Promise<Ran> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  for (const stream of [stdin, stderr]) Object.assign(stream, { isTTY: true, columns: 60 });
  let [shown, seen] = ['', 0];
  const open = [...answers];
  stderr.on('data', (text) => {
    shown += String(text);
    const [next] = open;
    if (next === undefined || !shown.slice(seen).includes(next[0])) return;
    open.shift();
    seen = shown.length;
    stdin.write(`${next[1]}\n`);
  });
  const code = await runCommand(argv, { stdin, stdout, stderr, env: {}, signal: new AbortController().signal });
  return { code, stdout: String(stdout.read() ?? ''), stderr: shown };
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  const only = ['--revision', revision] as const;
  describe(`tasks on the command line, at ${revision}`, () => {
    test('a call as a task waits, and tells how it stands in lines', async () => {
      await withTasks(async ({ url }) => {
        const { code, stdout, stderr } = await inThisProcess(['call', '--task', ...only, url, 'quick']);
        assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
        assert.match(stderr, /^(?:task working\n)?task completed\n$/);
      });
    });

    test('a reference is all that another command needs, typed or on standard input', async () => {
      await withTasks(async ({ url, finish }) => {
        const reference = await begun(url, 'slow', ...only);
        const { server, tool, answered } = JSON.parse(reference);
        assert.deepEqual({ server, tool, answered }, { server: url, tool: 'slow', answered: [] });
        const standing = await inThisProcess(['tasks', 'get', reference]);
        assert.match(standing.stdout, /^status +working.*\ntool +slow\n/);
        assert.ok(!standing.stdout.includes('\u001b'));
        assert.equal(JSON.parse((await inThisProcess(['tasks', 'get', '--json', reference])).stdout).status, 'working');
        finish();
        assert.equal((await inThisProcess(['tasks', 'wait', reference])).stdout, 'late\n');
        const waiting = start(['tasks', 'wait', '-']);
        waiting.child.stdin.end(`${reference}\n`);
        const { code, stdout } = await waiting.ended;
        assert.deepEqual([code, stdout], [0, 'late\n']);
      });
    });

    test('a task that asks stays open where nobody is at a terminal, and another command answers it', async () => {
      await withTasks(async ({ url }) => {
        const left = await inThisProcess(['call', '--task', ...only, url, 'ask']);
        assert.match(
          left.stderr,
          /parley: the task asks: Whose\ufffd\[2J name\?; answer it with: parley tasks answer '/,
        );
        assert.equal(left.code, 1);
        const reference = quoted(left.stderr);
        const answer = (...words: readonly string[]): Promise<Ran> =>
          inThisProcess(['tasks', 'answer', reference, ...words]);
        const [slip, missing, wrong] = [
          await answer('nam=Ada'),
          await answer('copies=1'),
          await answer('name=A', 'copies=0'),
        ];
        assert.match(slip.stderr, /asks for no "nam", but for name, copies; the nearest name is "name"\n$/);
        assert.match(missing.stderr, /^parley: "name" is required; the task asks: /);
        assert.match(wrong.stderr, /^parley: "copies" must be 1 or more; /);
        assert.deepEqual([slip.code, missing.code, wrong.code], [2, 2, 2]);
        assert.equal((await answer('name=Ada')).code, 0);
        const { stdout } = await inThisProcess(['tasks', 'wait', reference]);
        assert.deepEqual(JSON.parse(stdout), { action: 'accept', content: { name: 'Ada', copies: 2 } });
        assert.match((await answer('name=Ada')).stderr, /^parley: the task waits for no answer: it is completed\n$/);
      });
    });

    test('a person at a terminal is asked, field by field, until what is typed fits', async () => {
      await withTasks(async ({ url }) => {
        const { code, stdout, stderr } = await atTerminal(
          ['call', '--task', ...only, url, 'ask'],
          [
            ['name =', ''],
            ['it is required', 'Ada'],
            ['copies [2] =', 'none'],
            ['copies" must be a number', '3'],
          ],
        );
        assert.deepEqual(JSON.parse(stdout), { action: 'accept', content: { name: 'Ada', copies: 3 } });
        assert.equal(code, 0);
        assert.match(stderr, /the server asks: Whose\ufffd\[2J name\?\n/);
        assert.match(stderr, /\rask \[\.*#\.*\] \d+s/);
        assert.ok(stderr.includes('\u001b[K'));
      });
    });

    test('a person who declines at a terminal gives no values', async () => {
      await withTasks(async ({ url }) => {
        const reference = await begun(url, 'ask', ...only);
        await atTerminal(['tasks', 'answer', reference], [['name =', '!']]);
        assert.deepEqual(JSON.parse((await inThisProcess(['tasks', 'wait', reference])).stdout), { action: 'decline' });
      });
    });

    test('with --json nothing of a bar is written', async () => {
      await withTasks(async ({ url }) => {
        const { stdout, stderr } = await atTerminal(['call', '--task', '--json', ...only, url, 'quick']);
        assert.equal(JSON.parse(stdout).content[0].text, 'done');
        assert.ok(!/\r/.test(stderr) && !stderr.includes('\u001b'), stderr);
      });
    });

    test('a task that is cancelled says so to who waits, and stays so', async () => {
      await withTasks(async ({ url }) => {
        const reference = await begun(url, 'slow', ...only);
        const cancelled = await inThisProcess(['tasks', 'cancel', reference]);
        assert.match(cancelled.stdout, /^status +cancelled/);
        assert.equal(cancelled.code, 0);
        const { code, stderr } = await inThisProcess(['tasks', 'wait', reference]);
        assert.match(stderr, /parley: the task of tool "slow" was cancelled[^\n]*\n$/);
        assert.equal(code, 1);
      });
    });

    test('a task that the server does not know is told in one line, with what to do', async () => {
      await withTasks(async ({ url }) => {
        const reference = { ...JSON.parse(await begun(url, 'quick', ...only)), taskId: 'gone' };
        for (const verb of ['get', 'wait', 'cancel', 'answer']) {
          const { code, stdout, stderr } = await inThisProcess(['tasks', verb, JSON.stringify(reference)]);
          assert.match(
            stderr,
            /^parley: the task of tool "quick" is not known to the server: [^\n]*; start it again\n$/,
          );
          assert.deepEqual([code, stdout], [1, '']);
        }
      });
    });

    test('--timeout ends the wait for a task, which goes on', async () => {
      await withTasks(async ({ url }) => {
        const reference = await begun(url, 'slow', ...only);
        const words = /took longer than \d+ ms, the limit of --timeout; the task may go on: parley tasks wait /;
        const { code, stderr } = await withTimes(
          (timeout) => inThisProcess(['tasks', 'wait', '--timeout', timeout, reference]),
          (ran) => words.test(ran.stderr),
          ['600', '5000', '20000'],
        );
        assert.match(stderr, words);
        assert.equal(code, 3);
        assert.equal((await inThisProcess(['tasks', 'cancel', reference])).code, 0);
      });
    });

    test('who presses Ctrl-C leaves the task and hears how to take it up; who insists cancels it', async () => {
      await withTasks(async ({ url }) => {
        for (const [insists, status] of [
          [false, 'working'],
          [true, 'cancelled'],
        ] as const) {
          const waiting = start(['call', '--task', ...only, url, 'slow']);
          await waiting.said(/task working/);
          waiting.child.kill('SIGINT');
          const reference = await waiting.said(/parley tasks wait '(.*)'\n/);
          if (insists) waiting.child.kill('SIGINT');
          const { code, stdout } = await waiting.ended;
          assert.deepEqual([code, stdout], [1, '']);
          const { stdout: standing } = await inThisProcess(['tasks', 'get', '--json', reference]);
          assert.equal(JSON.parse(standing).status, status);
        }
      });
    });
  });
}

test('a tool that is never a task is called as one in vain, or answers at once', async () => {
  await withTasks(async ({ url }) => {
    const old = await inThisProcess(['call', '--task', '--revision', '2025-11-25', url, 'plain']);
    assert.deepEqual([old.code, old.stdout], [1, '']);
    assert.match(old.stderr, /^parley: tools\/call of "plain" is never a task\n$/);
    const { code, stdout, stderr } = await inThisProcess([
      'call',
      '--task',
      '--detach',
      '--revision',
      '2026-07-28',
      url,
      'plain',
    ]);
    assert.deepEqual([code, stdout], [0, 'plain\n']);
    assert.match(stderr, /^parley: the server answered the call itself, so that there is no task;/);
  });
});

test('a server that a command starts takes its tasks with it, which is said', async () => {
  const argv = ['call', '--task', '--detach', '--', ...exampleCommand, '--', 'countdown', 'from=50'];
  const { code, stdout, stderr } = await run(argv);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /parley: the server ends with this command, and the task with it unless/);
  const alone = await inThisProcess(['tasks', 'wait', stdout.trim()]);
  assert.match(
    alone.stderr,
    /^parley: the task belongs to the server "parley-example", [^\n]* give -- and its command/,
  );
  assert.equal(alone.code, 2);
  const again = await run(['tasks', 'get', stdout.trim(), '--', ...exampleCommand]);
  assert.match(again.stderr, /^parley: the task of tool "countdown" is not known to the server/);
});

test('tasks are listed where a server says which are whose', async () => {
  const listed = await run(['tasks', 'list', '--', ...exampleCommand]);
  assert.deepEqual([listed.code, listed.stdout], [0, 'the server has no tasks for you\n'], listed.stderr);
  await withTasks(async ({ url }) => {
    const { code, stderr } = await inThisProcess(['tasks', 'list', url]);
    assert.match(stderr, /^parley: the server lists no tasks: it did not declare tasks\.list; [^\n]*\n$/);
    assert.equal(code, 1);
  });
});

describe('what makes no sense about tasks is told in one line, with exit code 2', () => {
  const reference = {
    server: 'http://127.0.0.1:9/mcp',
    taskId: 'a',
    revision: '2026-07-28',
    tool: 't',
    createdAt: '2026-01-01T00:00:00Z',
    ttlMs: 1,
    answered: [],
  };
  const text = (more: object): string => JSON.stringify({ ...reference, ...more });
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['no verb', ['tasks'], /say what to do with a task: get, wait, answer, cancel or list/],
    ['an unknown verb', ['tasks', 'fetch', '{}'], /no parley tasks "fetch"/],
    ['no reference', ['tasks', 'get'], /name a task: give what parley call --task --detach printed/],
    ['a reference that is not JSON', ['tasks', 'get', 'abc'], /not a task reference: it is not JSON; give what/],
    [
      'a reference without its task',
      ['tasks', 'get', '{"server":"x"}'],
      /no reference of a task: taskId must be a text/,
    ],
    ['a revision that is none', ['tasks', 'get', text({ revision: '2020-01-01' })], /unknown revision "2020-01-01"/],
    [
      'a server that is nowhere',
      ['tasks', 'get', text({ server: 'files' })],
      /belongs to the server "files", .*--config <file>/,
    ],
    [
      'a path with a variable',
      ['tasks', 'get', text({ server: 'https://a.example/$%7BK%7D' })],
      /--config <file> <name>/,
    ],
    ['two servers', ['tasks', 'get', text({}), 'http://127.0.0.1:9/', 'more'], /"more"/],
    ['values for get', ['tasks', 'get', text({}), 'a=b'], /a=b/],
    ['an action that is none', ['tasks', 'answer', text({}), '--action', 'agree'], /--action takes accept or/],
    ['values that are declined', ['tasks', 'answer', text({}), 'a=1', '--action', 'decline'], /gives no values/],
    ['--detach alone', ['call', '--detach', 'http://127.0.0.1:9/', 't'], /--detach goes with --task/],
    ['--ttl alone', ['call', '--ttl', '5', 'http://127.0.0.1:9/', 't'], /--ttl goes with --task/],
    ['--task without a tool', ['call', '--task', 'http://127.0.0.1:9/'], /--task calls a tool: name one after the URL/],
    ['a ttl that is none', ['call', '--task', '--ttl', 'soon', 'http://127.0.0.1:9/', 't'], /--ttl must be/],
  ];
  for (const [title, argv, says] of cases)
    test(title, async () => {
      const { code, stdout, stderr } = await inThisProcess(argv);
      assert.match(stderr, says);
      assert.match(stderr, /^parley: [^\n]+\n$/);
      assert.deepEqual([code, stdout], [2, '']);
    });

  test('a task of another server', async () => {
    await withTasks(async ({ url }) => {
      const { code, stderr } = await inThisProcess(['tasks', 'get', text({}), url]);
      assert.match(
        stderr,
        /^parley: the task belongs to the server "http:\/\/127\.0\.0\.1:9\/mcp", and this client is connected/,
      );
      assert.equal(code, 2);
    });
  });
});
