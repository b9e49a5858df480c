import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';
import * as z from 'zod';
import { checkOf } from './asynchronous.ts';
import { toInputSchema } from './schema.ts';

test('a check of zod that rejects fails that check, and leaves no promise without an owner', () => {
  const source = `
    import * as z from ${JSON.stringify(import.meta.resolve('zod'))};
    import { toInputSchema } from ${JSON.stringify(import.meta.resolve('./schema.ts'))};
    const down = async () => { throw new Error('the database is down'); };
    for (const schema of [
      z.object({ a: z.string().refine(down) }),
      z.object({ a: z.array(z.string().check(async () => await down())) }),
      z.lazy(() => z.object({ a: z.string().refine(() => down()) })),
    ]) {
      const value = { a: schema.shape?.a instanceof z.ZodArray ? ['x'] : 'x' };
      try {
        await toInputSchema(z.object({ b: schema })).validate({ b: value });
        console.log('passed');
      } catch (error) {
        console.log(error.message);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log('alive');`;
  const printed = execFileSync(execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  assert.deepEqual(printed.trim().split('\n'), [...Array<string>(3).fill('the database is down'), 'alive']);
});

test('a schema without functions of its user is checked at once', () => {
  const plain = z.object({
    a: z.array(z.union([z.email(), z.int().min(1)])),
    b: z.record(z.string(), z.date().optional()),
  });
  assert.equal(checkOf(plain, plain['~standard'] as never), plain['~standard'].validate);
  const node = z.object({
    get next() {
      return z.optional(node);
    },
  });
  assert.equal(checkOf(node, node['~standard'] as never), node['~standard'].validate);
});

test('what a check that waits makes of a value, or says of it, is what the standard says', async () => {
  const schema = z.object({ a: z.string().transform((text) => text.length), b: z.number().default(7) });
  const resolved = toInputSchema(schema);
  assert.deepEqual(await resolved.validate({ a: 'abc' }), { value: { a: 3, b: 7 } });
  const { problems } = (await resolved.validate({ a: 1 })) as {
    readonly problems: readonly { readonly path: string }[];
  };
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['/a'],
  );
});
