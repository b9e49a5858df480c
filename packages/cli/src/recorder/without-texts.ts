import { hiding } from '../../../parley/src/auth/common/secrets.ts';

/** Takes secrets out of every text of a value of JSON: a server may repeat what it was sent. */
export function withoutTexts<Value>(value: Value, secrets: readonly string[]): Value {
  const hide = hiding(secrets);
  // Texts are replaced by texts, so that the shape stays.
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? hide(part) : part,
  ) as Value;
}
