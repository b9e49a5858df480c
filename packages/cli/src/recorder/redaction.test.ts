import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordingEntry, Seen } from './entry.ts';
import { createLog } from './log.ts';
import { createRedaction } from './redaction.ts';

const secret = 'planted-0123456789-secret';

function kept(
  seen: Seen,
  prepare: Partial<{ forget: string[]; hide: string[] }> = {},
): { entry: RecordingEntry; shown: RecordingEntry } {
  const redaction = createRedaction();
  redaction.forget(prepare.forget ?? []);
  redaction.hide(prepare.hide ?? []);
  const log = createLog({ server: 'a', redaction, now: () => 0 });
  const entry = log.entry(log.note(seen));
  assert.ok(entry);
  return { entry, shown: redaction.toShow(entry) };
}

const request = (headers: Record<string, string>, more: Partial<Seen> = {}): Seen => ({
  lane: 'http',
  from: 'client',
  http: { method: 'POST', url: 'https://a.example/mcp', headers },
  ...more,
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };

const forgotten: readonly (readonly [string, Seen])[] = [
  ['Authorization', request({ authorization: `Bearer ${secret}` })],
  ['a password of Basic', request({ authorization: `Basic ${btoa(`me:${secret}`)}` })],
  ['a cookie', request({ cookie: `a=${secret}` })],
  ['a cookie that is set', { ...request({ 'set-cookie': `a=${secret}` }), from: 'server' }],
  ['a proof', request({ dpop: secret })],
  ['the password of a URL', { ...request({}), http: { url: `https://me:${secret}@a.example/`, headers: {} } }],
  [
    'a code in a redirect',
    { ...request({}), http: { url: `https://a.example/cb?code=${secret}&state=1`, headers: {} } },
  ],
  ...['code', 'code_verifier', 'refresh_token', 'client_secret', 'client_assertion', 'subject_token', 'assertion'].map(
    (name) => [`${name} of a form`, request(form, { text: `a=1&${name}=${secret}` })] as const,
  ),
  ...['access_token', 'refresh_token', 'id_token', 'client_secret', 'registration_access_token'].map(
    (name) =>
      [`${name} of an answer`, { lane: 'auth', from: 'server', text: `{"${name}": "${secret}"}` } as const] as const,
  ),
];

describe('masks', () => {
  const short = 'alike-0123456789';
  const long = `${short}-and-more`;
  for (const [what, prepare, about] of [
    ['one that is hidden holds one that is forgotten', { forget: [short], hide: [long] }, {}],
    ['one that is forgotten holds one that is hidden', { forget: [long], hide: [short] }, {}],
    ['one that is hidden holds a session', { hide: [long] }, { 'mcp-session-id': short }],
    ['a session holds one that is hidden', { hide: [short] }, { 'mcp-session-id': long }],
    ['one that is forgotten holds a cookie', { forget: [long] }, { cookie: `a=${short}` }],
    ['a cookie holds one that is forgotten', { forget: [short] }, { cookie: `a=${long}` }],
  ] as const)
    test(`leave nothing of either secret where ${what}`, () => {
      const redaction = createRedaction();
      redaction.forget('forget' in prepare ? prepare.forget : []);
      redaction.hide('hide' in prepare ? prepare.hide : []);
      const log = createLog({ server: 'a', redaction, now: () => 0 });
      log.note(request(about));
      for (const secretThere of [short, long]) {
        const entry = log.entry(log.note({ lane: 'message', from: 'server', text: `it is ${secretThere} there` }));
        assert.ok(entry);
        assert.equal(redaction.toShow(entry).text, 'it is ••• there');
        assert.equal(redaction.valueToShow(`it is ${secretThere} there`), 'it is ••• there');
      }
    });

  test('hide nothing for good that a person may see, for the sake of a secret that is too short to be hidden', () => {
    const redaction = createRedaction();
    redaction.forget(['abc']);
    redaction.hide(['abc-0123456789']);
    const text = 'it is abc-0123456789 there';
    assert.equal(redaction.toKeep({ lane: 'message', from: 'server', text }).text, text);
  });

  for (const [what, seen] of forgotten)
    test(`never let a log keep ${what}`, () => {
      assert.equal(JSON.stringify(kept(seen).entry).includes(secret), false);
      assert.equal(JSON.stringify(kept(seen).entry).includes('•••'), true);
    });

  test('keep the scheme of credentials, and what asks for them', () => {
    const { entry } = kept(request({ authorization: `Bearer ${secret}`, 'www-authenticate': 'Bearer scope="a"' }));
    assert.deepEqual(entry.http?.headers, { authorization: 'Bearer •••', 'www-authenticate': 'Bearer scope="a"' });
  });

  test('take the echo of a token out of everything that comes later', () => {
    const redaction = createRedaction();
    const log = createLog({ server: 'a', redaction, now: () => 0 });
    log.note(request({ authorization: `Bearer ${secret}` }));
    log.note(request({ cookie: 'sid=cookie-0123456789' }));
    log.note({ lane: 'auth', from: 'server', text: '{"access_token":"another-0123456789-token"}' });
    const texts = [
      `you sent ${secret}`,
      encodeURIComponent(secret),
      'and another-0123456789-token too',
      'cookie-0123456789',
    ];
    for (const text of texts) log.note({ lane: 'stderr', from: 'server', text, problem: text });
    log.note({ lane: 'event', from: 'server', event: { comment: secret } });
    const all = JSON.stringify(log.since(0));
    assert.equal(all.includes(secret) || all.includes('0123456789'), false);
  });

  test('take out a token in base64 too, wherever it begins in what is encoded', () => {
    const redaction = createRedaction();
    redaction.forget([secret]);
    redaction.hide(['configured?>~0123456789']);
    const log = createLog({ server: 'a', redaction, now: () => 0 });
    for (const value of [secret, 'configured?>~0123456789'])
      for (const before of ['', 'u', 'me', 'me:', '{"token":"'])
        for (const alphabet of ['base64', 'base64url'] as const) {
          const n = log.note({
            lane: 'stderr',
            from: 'server',
            text: Buffer.from(`${before}${value}"}`).toString(alphabet),
          });
          const entry = log.entry(n);
          const shown = entry === undefined ? '' : (redaction.toShow(entry).text ?? '');
          assert.match(shown, /•••/);
          const rest = Buffer.from(shown.replaceAll('•••', ''), alphabet).toString();
          assert.ok(!rest.includes(value.slice(2, -2)) && shown.length < 30, shown);
        }
  });

  test('hide, and keep, what may be looked at by whoever asks', () => {
    const hidden: readonly Seen[] = [
      request({ 'mcp-session-id': secret }),
      request({ 'x-api-key': secret }),
      { ...request({}), http: { url: `https://a.example/message?sessionId=${secret}`, headers: {} } },
      { lane: 'message', from: 'client', text: `{"params":{"arguments":{"apiKey":"${secret}"}}}` },
      { lane: 'stderr', from: 'server', text: `KEY is ${secret}` },
    ];
    for (const seen of hidden) {
      const { entry, shown } = kept(seen, { hide: seen.lane === 'stderr' ? [secret] : [] });
      assert.equal(JSON.stringify(entry).includes(secret), true);
      assert.equal(JSON.stringify(shown).includes(secret), false, JSON.stringify(shown));
    }
  });

  test('hide the echo of a session id', () => {
    const redaction = createRedaction();
    const log = createLog({ server: 'a', redaction, now: () => 0 });
    log.note({ ...request({ 'mcp-session-id': secret }), from: 'server' });
    log.note({ lane: 'stderr', from: 'server', text: `session ${secret} began` });
    assert.equal(
      log.since(0).some((entry) => JSON.stringify(redaction.toShow(entry)).includes(secret)),
      false,
    );
  });

  test('leave what is named like a secret and is none', () => {
    const text =
      '{"method":"tools/call","params":{"_meta":{"progressToken":"abc"}},"code":-32601,"token_endpoint":"https://a"}';
    assert.equal(kept({ lane: 'message', from: 'client', text }).shown.text, text);
  });

  test('do not let a server push out what was configured', () => {
    const redaction = createRedaction();
    const log = createLog({ server: 'a', redaction, now: () => 0 });
    redaction.forget([secret]);
    for (let at = 0; at < 600; at++)
      log.note({ lane: 'auth', from: 'server', text: `{"access_token":"flood-of-tokens-${at}"}` });
    const last = log.note({ lane: 'stderr', from: 'server', text: secret });
    assert.equal(log.entry(last)?.text, '•••');
  });

  test('look once at what a server wrote to be looked at again and again', () => {
    // Each took minutes with a search that goes back; the test ends within its limit, or not.
    const million = 1024 ** 2;
    for (const text of [
      `"${'key'.repeat(million / 3)}`,
      '"'.repeat(million),
      '"key" '.repeat(million / 6),
      `"access_token":"${'a'.repeat(million)}`,
      `"access_token"${' '.repeat(million)}`,
      `"access_token":"${'\\'.repeat(million)}`,
    ])
      assert.ok(kept({ lane: 'auth', from: 'server', text }).shown.text);
    const url = `https://a.example/${'?'.repeat(100_000)}`;
    assert.ok(kept({ ...request({}), http: { method: 'POST', url, headers: {} } }).shown.http?.url);
  });

  test('take out a value whole, escapes and line breaks in it too', () => {
    const text = `{"access_token":"begin\\\n${secret}","apiKey":"begin\\\n${secret}"}`;
    assert.equal(kept({ lane: 'message', from: 'server', text }).shown.text?.includes(secret), false);
  });

  test('take out the values of keys in JSON that stands in a text', () => {
    const inner = JSON.stringify({ access_token: `begin"\\${secret}`, apiKey: `begin"\\\n${secret}`, name: 'kept' });
    const text = JSON.stringify({ result: { content: [{ type: 'text', text: inner }] } });
    const { entry, shown } = kept({ lane: 'message', from: 'server', text });
    assert.equal(entry.text?.split(secret).length, 2);
    assert.equal(shown.text?.includes(secret), false);
    assert.match(String(JSON.parse(shown.text ?? '').result.content[0].text), /"name":"kept"/);
  });

  test('hide a session that the endpoint of a stream names, and its echo', () => {
    const redaction = createRedaction();
    const log = createLog({ server: 'a', redaction, now: () => 0 });
    log.note({ lane: 'event', from: 'server', event: { type: 'endpoint' }, text: `/message?sessionId=${secret}` });
    log.note({ lane: 'stderr', from: 'server', text: `session ${secret} began` });
    for (const entry of log.since(0)) assert.equal(JSON.stringify(redaction.toShow(entry)).includes(secret), false);
  });

  test('take the token of an address out of a text', () => {
    const text = `GET https://a.example/?access_token=${secret}&x=1 failed`;
    assert.equal(kept({ lane: 'stderr', from: 'server', text }).entry.text?.includes(secret), false);
  });

  test('hide a value that is longer than any search that goes back may be', () => {
    const text = `{"signedDocument":"${'\\n'.repeat(6 * 1024 ** 2)}","after":1}`;
    const redaction = createRedaction();
    const { entry } = kept({ lane: 'message', from: 'server', text: '' });
    assert.equal(redaction.toShow({ ...entry, text }).text, '{"signedDocument":"•••","after":1}');
  });

  test('hide in a value what is hidden in a text, and keep its shape', () => {
    const redaction = createRedaction();
    redaction.forget([secret]);
    redaction.hide(['configured-0123456789']);
    const value = { [`a ${secret}`]: ['configured-0123456789', 1, null, { apiKey: 'short', ['__proto__']: true }] };
    assert.equal(
      JSON.stringify(redaction.valueToShow(value)),
      '{"a •••":["•••",1,null,{"apiKey":"•••","__proto__":true}]}',
    );
  });
});
