/** Every regular expression of the sources takes time linear in the text. Prints what it finds as JSON when it is started. */

import { repositoryOnDisk, type Repository } from '../repository.ts';
import type { Finding, Rule } from '../rule.ts';
import { fileOf, sourcesOf } from '../source-files.ts';
import { composedIn, superLinear, writtenIn, type Expression } from './regular-expressions-in.ts';

const keysNamed = { source: String.raw`((\\?)"(?:code|token)\2"\s*:\s*)\2"`, flags: 'g' };

/** What files put together from values that they have only later. */
const later: Readonly<Record<string, readonly Omit<Expression, 'path'>[]>> = {
  'transports/http/server/sse-pair.ts': [{ source: '(?:^|&)sessionId=([^&]*)', flags: '' }],
  'json/exact-number.ts': [{ source: '"123e4567-e89b-12d3-a456-426614174000([^"]+)"', flags: 'g' }],
  // What it makes is judged where it is asked for; the second is a copy.
  'cli/recorder/named-values.ts': [keysNamed, keysNamed],
  // A copy of the expression above it.
  'cli/inspect/page/json/lines.ts': [{ source: String.raw`"|[{}[\],:]|[^\s{}[\],:"]+`, flags: 'g' }],
  // Patterns of schemas: `schema/pattern.ts` sees to their time.
  'schema/linear/alphabet.ts': [{ source: '^[a-z]$', flags: 'u' }],
  'schema/keywords.ts': [{ source: '', flags: 'u' }],
  // The same in a page, which tries only short ones without groups and with two repetitions at most, on short names.
  'cli/inspect/page/form/model/names.ts': [{ source: '', flags: 'u' }],
};

export const regularExpressionsRule: Rule = {
  demand: 'every regular expression of the sources takes time linear in the text',
  async find(repository) {
    const { expressions, faults } = await expressionsOf(repository);
    const distinct = [...new Map(expressions.map((one) => [`/${one.source}/${one.flags}`, one])).values()];
    const slow = distinct.flatMap((one) => {
      const problem = superLinear(one);
      return problem === undefined ? [] : [{ file: fileOf(one.path), text: `has ${problem}` }];
    });
    return [...faults, ...slow];
  },
};

interface Expressions {
  readonly expressions: readonly Expression[];
  readonly faults: readonly Finding[];
}

async function expressionsOf(repository: Repository): Promise<Expressions> {
  const expressions: Expression[] = [];
  const faults: Finding[] = [];
  for (const file of sourcesOf(repository)) {
    const { literals, calls } = await writtenIn(file);
    expressions.push(...literals);
    if (calls === 0) continue;
    const known = (later[file.path] ?? []).map((one) => ({ path: file.path, ...one }));
    const composed = known.length === calls ? undefined : await composedIn(file.path);
    if (known.length + (composed?.places ?? 0) !== calls)
      faults.push({
        file: fileOf(file.path),
        text: 'puts together an expression that is not seen; list one like it in scripts/check/package/regular-expressions.ts',
      });
    expressions.push(...known, ...(composed?.expressions ?? []));
  }
  return { expressions, faults };
}

if (import.meta.main) console.log(JSON.stringify(await regularExpressionsRule.find(repositoryOnDisk())));
