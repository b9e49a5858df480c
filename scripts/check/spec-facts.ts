/** The facts of the official schemas in `test/spec` are as they were written, and no prose. */

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { fullSchema } from '../../test/support/beside.ts';
import type { Fact } from '../schema-facts.ts';
import { factFile, fileText, officialFile, type FactFile } from '../spec-files.ts';
import type { Repository } from './repository.ts';
import type { Finding, Rule } from './rule.ts';

const again = 'nothing in it is changed by hand: run `npm run lab -- spec <folder>`';

export const specFactsRule: Rule = {
  demand: 'test/spec has the facts of every protocol version, as they were written',
  find(repository) {
    const expected = new Set(revisions.map(({ date }) => `test/spec/${date}.json`));
    const there = repository.paths.filter((path) => /^test\/spec\/[^/]*\.json$/.test(path));
    return [
      ...there.filter((file) => !expected.has(file)).map((file) => ({ file, text: 'is of no protocol version' })),
      ...revisions.flatMap(({ date }) => {
        try {
          return faultsOf(repository, date);
        } catch (error) {
          return [{ file: `test/spec/${date}.json`, text: `${String(error)}; ${again}` }];
        }
      }),
    ];
  },
};

function faultsOf({ paths, read }: Repository, date: string): readonly Finding[] {
  const file = `test/spec/${date}.json`;
  if (!paths.includes(file)) return [{ file, text: 'is missing; run `npm run lab -- spec <folder>`' }];
  const text = read(file);
  const facts: FactFile = JSON.parse(text);
  const prose = [...new Set(wordsOf(facts.types))].find((word) => !/^[^ ]*( \d+\.\.\d*)?$/.test(word));
  if (prose !== undefined) return [{ file, text: `has the words "${prose}", which are no fact; ${again}` }];
  const document = officialFile(facts);
  const ajv = document.$defs === undefined ? new Ajv({ strict: false }) : new Ajv2020({ strict: false });
  const full = fullSchema(date);
  const faults = {
    'has another digest than its facts': fileText(factFile(date, document)) !== text,
    'is no JSON Schema': ajv.validateSchema(document) !== true,
    'is not what the official schema says': full !== undefined && fileText(factFile(date, full)) !== text,
  };
  return Object.entries(faults)
    .filter(([, isFault]) => isFault)
    .map(([words]) => ({ file, text: `${words}; ${again}` }));
}

/** Every string of the facts; an enumeration gives one for each value. */
function wordsOf(fact: Fact | FactFile['types']): readonly string[] {
  if (typeof fact === 'string') return fact.split(' | ');
  if (typeof fact !== 'object') return [];
  const keys = Array.isArray(fact) ? [] : Object.keys(fact);
  return [...keys, ...Object.values(fact).flatMap(wordsOf)];
}
