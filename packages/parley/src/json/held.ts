/** Values that JSON holds, and those that it does not. */

/**
 * The value that the JSON text of a value gives back. Fields that are `undefined` are left out, `undefined` in an array
 * is `null`, what says itself how it stands in JSON (a date, a URL) is that, and an instance of a class is its fields.
 *
 * @throws TypeError that says where and what, for what JSON would change or lose: functions, symbols, bigints, NaN and
 *   infinities, cycles, bytes, and objects that keep nothing in fields, such as a map.
 */
export function heldAsJson(value: unknown): unknown {
  const places = new Map<unknown, string>();
  const text = JSON.stringify(value, function (this: unknown, key: string, given: unknown): unknown {
    const outer = places.get(this);
    const place = outer === undefined ? '' : `${outer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const lost = lostKind(given);
    if (lost !== undefined) throw new TypeError(`${place === '' ? 'the result' : place} is ${lost}`);
    if (typeof given === 'object' && given !== null) places.set(given, place);
    return given;
  });
  // There is no text of `undefined`, whatever the compiler says.
  return (text as string | undefined) === undefined ? undefined : JSON.parse(text);
}

/** Kind of a value that JSON would change or lose. */
function lostKind(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      return value !== null && (ArrayBuffer.isView(value) || keepsNoFields(value))
        ? `an instance of ${value.constructor.name}`
        : undefined;
    default:
      return undefined;
  }
}

/** Tells whether an object is an instance of a class whose state is in no field. */
function keepsNoFields(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === null || Array.isArray(object) || Object.keys(object).length > 0) return false;
  // A plain object may come from another realm: its prototype is the one that has none.
  return Object.getPrototypeOf(prototype) !== null;
}
