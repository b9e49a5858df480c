/** Dates and times between how JSON Schema writes them and how a browser's picker does. */

/** The kinds of pickers. */
export type PickerType = 'date' | 'datetime-local' | 'time';

const types: Readonly<Record<string, PickerType>> = { date: 'date', 'date-time': 'datetime-local', time: 'time' };

const whole: Readonly<Record<PickerType, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'datetime-local': /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)/,
  time: /^\d\d:\d\d:\d\d/,
};

/** The picker of a format, and the value to begin with; nothing where there is no picker. */
export function pickerOf(
  format: string | undefined,
  value: string,
): { readonly type: PickerType; readonly value: string } | undefined {
  const type = format !== undefined && Object.hasOwn(types, format) ? types[format] : undefined;
  if (type === undefined) return undefined;
  const found = whole[type].exec(value);
  return { type, value: found === null ? '' : type === 'datetime-local' ? `${found[1]}T${found[2]}` : found[0] };
}

/** Writes what was picked as JSON Schema does: with seconds, and with the zone of this machine where one is asked for. */
export function pickedOf(type: PickerType, picked: string): string {
  if (type === 'date') return picked;
  const seconds = /\d\d:\d\d:\d\d/.test(picked) ? picked : `${picked}:00`;
  const day = type === 'time' ? new Date() : new Date(seconds);
  return seconds + zoneOf(-day.getTimezoneOffset());
}

/** A zone as an offset: "Z", "+05:30". */
export function zoneOf(minutes: number): string {
  if (minutes === 0 || Number.isNaN(minutes)) return 'Z';
  const size = Math.abs(minutes);
  const two = (count: number): string => String(Math.trunc(count)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}
