/** The registers of `test/spec` are ids, facts and places, and every cited id is in one of them. */

import { citedIds } from '../covered.ts';
import { behavioursIn, fullBehaviours, fullRequirements, requirementsIn, tableText } from '../registers.ts';
import { beside } from '../../test/support/beside.ts';
import type { Repository } from './repository.ts';
import type { Finding, Rule } from './rule.ts';

const requirementsFile = 'test/spec/requirements.tsv';
const behavioursFile = 'test/spec/behaviours.tsv';
const again = '`npm run lab -- registers` writes it again';

export const requirementsRule: Rule = {
  demand: 'a requirement has an id of its own, a level and a place, and no sentence',
  find(repository) {
    const text = repository.read(requirementsFile);
    const found: Finding[] = [];
    const ids = new Set<string>();
    for (const [at, { id, level, ...cells }] of requirementsIn(text).entries()) {
      const add = (words: string): void => void found.push({ file: requirementsFile, line: at + 2, text: words });
      if (!/^[a-z0-9]+-\d{3}$/.test(id)) add(`has the id "${id}"; ${again}`);
      if (ids.has(id)) add(`has the id ${id} again; ${again}`);
      ids.add(id);
      if (!/^(MUST|SHOULD)( NOT)?$/.test(level)) add(`has the level "${level}"; ${again}`);
      for (const cell of Object.values(cells)) if (/\s/.test(cell)) add(`has the words "${cell}"; ${again}`);
    }
    const full = beside('requirements.tsv');
    if (full !== undefined && tableText(fullRequirements(full)) !== text)
      found.push({ file: requirementsFile, text: `is not what the full register says; ${again}` });
    return found;
  },
};

export const behavioursRule: Rule = {
  demand: 'a behaviour has an id of its own and a few words',
  find(repository) {
    const rows = behavioursIn(repository.read(behavioursFile));
    const found: Finding[] = [];
    const ids = new Set<string>();
    for (const [at, { id, words }] of rows.entries()) {
      const add = (text: string): void => void found.push({ file: behavioursFile, line: at + 2, text });
      if (!/^[A-E]\d{2}$/.test(id)) add(`has the id "${id}"; ${again}`);
      if (ids.has(id)) add(`has the id ${id} again; ${again}`);
      ids.add(id);
      if (!/^.{5,79}$/.test(words)) add(`describes ${id} in ${words.length} characters; write 5 to 79`);
    }
    const full = beside('design/behaviours.md');
    if (full !== undefined && fullBehaviours(full).join() !== rows.map(({ id }) => id).join())
      found.push({ file: behavioursFile, text: `has other ids than the full register; ${again}` });
    return found;
  },
};

export const citedIdsRule: Rule = {
  demand: 'every id that a test title cites is in a register',
  find(repository) {
    const known = idsIn(repository);
    return [...citedIds(repository)]
      .filter(([id]) => !known.has(id))
      .flatMap(([id, titles]) =>
        titles.map((place) => ({
          file: place.slice(0, place.indexOf(': ')),
          text: `cites ${id}, which no register has, in "${place.slice(place.indexOf(': ') + 2, 120)}"`,
        })),
      );
  },
};

function idsIn({ read }: Repository): ReadonlySet<string> {
  const rows = [...requirementsIn(read(requirementsFile)), ...behavioursIn(read(behavioursFile))];
  return new Set(rows.map(({ id }) => id));
}
