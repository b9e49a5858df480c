import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { isForwardDomain } from '../common/forward-names.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';

/** Rules about how keys of `_meta` are written: whole, in the labels of a prefix, and in the name. */

/** The parts of a key: the labels before its slash, where it has one, and its name. */
interface KeyParts {
  readonly labels: readonly string[];
  readonly name: string;
}

/** A label of which the other rules say nothing: there has to be one between dots. */
const hasEmptyLabel = ({ labels }: KeyParts): boolean => labels.includes('');

const label = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const wholeName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;

function partsOf(key: string): KeyParts {
  const slash = key.indexOf('/');
  return { labels: slash < 0 ? [] : key.slice(0, slash).split('.'), name: key.slice(slash + 1) };
}

function keysIn({ message: { result, params } }: HeardMessage): readonly string[] | undefined {
  const holder = isObject(result) ? result : isObject(params) ? params : undefined;
  return isObject(holder?.['_meta']) ? Object.keys(holder['_meta']) : undefined;
}

/** A rule about each key of `_meta`; one without a prefix says nothing of how prefixes are written. */
function aboutKeys(
  [id, words]: readonly [id: string, words: string],
  isWrong: (parts: KeyParts) => boolean,
  isAbout: (parts: KeyParts) => boolean = () => true,
): WatchRule {
  return {
    id,
    message: words,
    fix: 'name keys of your own like com.example/key',
    watch(heard) {
      const keys = keysIn(heard)?.filter((key) => isAbout(partsOf(key))) ?? [];
      if (keys.length === 0) return 'not-seen';
      const wrong = keys.find((key) => isWrong(partsOf(key)));
      return wrong === undefined ? 'holds' : { breaks: `${JSON.stringify(wrong)} is no key of _meta` };
    },
  };
}

/** Rules about keys of `_meta`. */
export const metaKeyRules: readonly WatchRule[] = [
  aboutKeys(['meta-002', 'A _meta key is a name, or dot-separated labels, a slash and a name'], hasEmptyLabel),
  aboutKeys(
    ['meta-003', 'Labels of a prefix begin with a letter, and end with a letter or a digit'],
    ({ labels }) => labels.some((one) => one !== '' && !label.test(one)),
    ({ labels }) => labels.length > 0,
  ),
  aboutKeys(
    ['meta-004', 'A _meta name has only letters, digits, dots, - and _, and begins and ends with a letter or digit'],
    ({ name }) => !wholeName.test(name),
  ),
  {
    ...aboutKeys(
      ['meta-005', 'Prefixes of _meta are domains in reverse order: com.example, and not example.com'],
      ({ labels }) => isForwardDomain(labels),
      ({ labels }) => labels.length > 1,
    ),
  },
];
