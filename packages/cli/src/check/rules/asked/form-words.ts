import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { WatchRule } from '../../rule.ts';
import { isSecretProperty } from '../common/secret-names.ts';
import { aboutQuestions } from './question-rules.ts';

/** Rules about what forms ask for, and what stands in them. */

const isForm = ({ mode }: JsonObject): boolean => (mode ?? 'form') === 'form';

/** Fields of a form, with their schemas. */
function fieldsOf({ requestedSchema }: JsonObject): readonly (readonly [name: string, schema: JsonObject])[] {
  const properties = isObject(requestedSchema) ? requestedSchema['properties'] : undefined;
  return isObject(properties)
    ? Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
}

/** Beginning of what a reader of Markdown or HTML shows as a link to a page. */
const link = /\]\(<?https?:\/\/|<https?:\/\/|<a\shref=/i;

const secrets = (id: 'elicit-003' | 'elicit-010'): WatchRule =>
  aboutQuestions(
    {
      id,
      message: 'No form asks for a secret, such as a password or an API key',
      fix: 'send the user to a page of yours by an elicitation with "mode": "url", and ask there',
    },
    'elicitation/create',
    (params) => {
      if (!isForm(params)) return false;
      const found = fieldsOf(params).find(([name, schema]) => isSecretProperty(name, schema));
      return found && `it asks for ${found[0]}`;
    },
  );

const noLinks = aboutQuestions(
  {
    id: 'elicit-050',
    message: 'No field of a form has a link in it',
    fix: 'send the user to a page by an elicitation with "mode": "url"',
  },
  'elicitation/create',
  (params) => {
    if (!isForm(params)) return false;
    const texts = fieldsOf(params).flatMap(([name, { title, description, default: given }]) =>
      [title, description, given].map((text) => [name, text] as const),
    );
    const all = [['message', params['message']] as const, ...texts];
    const found = all.find(([, text]) => typeof text === 'string' && link.test(text));
    if (found !== undefined) return `${found[0]} has one: ${String(found[1]).slice(0, 200)}`;
    // An address alone may be meant to be read, and not to be opened.
    return all.some(([, text]) => typeof text === 'string' && /https?:\/\//i.test(text)) ? false : undefined;
  },
);

/** Rules about words of forms. */
export const formWordRules: readonly WatchRule[] = [secrets('elicit-003'), secrets('elicit-010'), noLinks];
