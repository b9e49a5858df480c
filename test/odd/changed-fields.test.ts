/** Each field of each result left out, or changed to a value of another type: what an official client takes, ours takes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddFetch } from './odd-fetch.ts';
import { peers, userOf, type Peer, type User } from './peers.ts';

type Json = Readonly<Record<string, unknown>>;

const icons = [{ src: 'https://a.b/c', mimeType: 'image/png', sizes: ['1x1'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2025-01-12T15:00:58Z' };
const described = { title: 't', description: 'd', icons, _meta: {} };
const embedded = { uri: 'x:a', text: 'x', mimeType: 'text/plain', _meta: {} };

/** Results that have all of their fields. */
const whole: Readonly<Record<string, Json>> = {
  'tools/list': {
    tools: [
      {
        name: 'a',
        ...described,
        inputSchema: {
          type: 'object',
          properties: { a: {} },
          required: ['a'],
          $schema: 'https://json-schema.org/draft/2020-12/schema',
        },
        outputSchema: { type: 'object', properties: { a: {} }, required: ['a'] },
        annotations: {
          title: 't',
          readOnlyHint: true,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
    ],
    _meta: {},
  },
  'tools/call': {
    content: [
      { type: 'text', text: 'x', annotations, _meta: {} },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'x:a', name: 'a', size: 3, mimeType: 'm/x', ...described },
      { type: 'resource', resource: embedded },
      { type: 'resource', resource: { uri: 'x:a', blob: 'aGk=' } },
    ],
    structuredContent: { a: 1 },
    isError: false,
    _meta: {},
  },
  'prompts/list': {
    prompts: [{ name: 'a', ...described, arguments: [{ name: 'x', title: 't', description: 'd', required: true }] }],
  },
  'prompts/get': {
    description: 'd',
    messages: [
      { role: 'user', content: { type: 'text', text: 'x' } },
      { role: 'assistant', content: { type: 'resource', resource: embedded } },
    ],
  },
  'resources/list': { resources: [{ uri: 'x:a', name: 'a', ...described, mimeType: 'm/x', size: 3, annotations }] },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'x:{a}', name: 'a', ...described, mimeType: 'm/x', annotations }],
  },
  'resources/read': { contents: [embedded, { uri: 'x:a', mimeType: 'm/x', blob: 'aGk=' }] },
  'completion/complete': { completion: { values: ['a'], total: 1, hasMore: false } },
};

/** What a user has of each result: the number of its parts. */
const uses: Readonly<Record<string, (user: User) => Promise<number>>> = {
  'tools/list': async (user) => (await user.listTools()).length,
  'tools/call': async (user) => parts((await user.callTool('a'))['content']),
  'prompts/list': async (user) => (await user.listPrompts()).length,
  'prompts/get': async (user) => parts((await user.getPrompt('a'))['messages']),
  'resources/list': async (user) => (await user.listResources()).length,
  'resources/templates/list': async (user) => (await user.listResourceTemplates()).length,
  'resources/read': async (user) => parts((await user.readResource('x:a'))['contents']),
  'completion/complete': async (user) => ((await user.complete()) === undefined ? 0 : 1),
};

const parts = (value: unknown): number => (value as readonly unknown[]).length;

/** Values in the place of another. */
const others = [null, 's', '', 7, -1.5, true, false, {}, [], [null]];

/** A result with one field changed, and which. */
function* changed(value: unknown, path: string = ''): Generator<readonly [where: string, value: unknown]> {
  if (path !== '') for (const other of others) yield [`${path} = ${JSON.stringify(other)}`, other];
  if (Array.isArray(value))
    for (const [at, item] of value.entries())
      for (const [where, made] of changed(item, `${path}[${at}]`)) yield [where, value.with(at, made)];
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Json;
      yield [`no ${path}.${key}`, rest];
      for (const [where, made] of changed(item, `${path}.${key}`)) yield [where, { ...value, [key]: made }];
    }
}

/**
 * What ours leaves out though an official client takes it: a schema whose properties or required names are none says nothing to
 * a model, and a program that reads it may fail.
 */
const isReasoned = (where: string): boolean => /inputSchema\.(?:properties|required)(?:\[0\])? = /.test(where);

for (const date of ['2025-11-25', '2026-07-28'] as const)
  for (const [method, base] of Object.entries(whole))
    test(`${method} at ${date}: no changed field is refused that an official client takes`, async () => {
      const use = uses[method];
      assert.ok(use !== undefined);
      let result: unknown = base;
      const fetch = oddFetch((message) => {
        if (message['method'] !== method) return opening(date, String(message['method']));
        return date === '2025-11-25' ? (result as Json) : { ...stateless, ...(result as Json) };
      });
      // SDK 1.32.2 does not speak the stateless version.
      const compared = peers.filter((peer) => date === '2025-11-25' || peer !== '1.32.2');
      const users = await Promise.all(compared.map(async (peer) => [peer, await userOf(peer, { fetch })] as const));
      const stricter: string[] = [];
      let looks = 0;
      for (const [where, made] of changed(base)) {
        if (typeof made !== 'object' || made === null || Array.isArray(made)) continue;
        result = made;
        looks++;
        const got: Partial<Record<Peer, number | undefined>> = {};
        for (const [peer, user] of users) got[peer] = await use(user).catch(() => undefined);
        const official = got['2.4.0'] ?? got['1.32.2'];
        if (official !== undefined && got.parley !== official && !isReasoned(where)) stricter.push(where);
      }
      await Promise.all(users.map(([, user]) => user.close()));
      assert.deepEqual(stricter, []);
      assert.ok(looks > 20);
    });

const stateless = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** The beginning of a conversation. */
function opening(date: string, method: string): Json | undefined {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const info = { name: 'odd', version: '1' };
  if (date === '2025-11-25')
    return method === 'initialize' ? { protocolVersion: date, capabilities, serverInfo: info } : undefined;
  if (method !== 'server/discover') return undefined;
  const _meta = { 'io.modelcontextprotocol/serverInfo': info };
  return { ...stateless, supportedVersions: [date], capabilities, _meta };
}
