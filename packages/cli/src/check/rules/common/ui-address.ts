import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';

/** Address of the app that a tool shows its results in; `undefined` where it has none. The key with a slash is the former one. (Extension Apps of 2026-01-26.) */
export function uiAddress({ _meta: meta }: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(meta)) return undefined;
  const { ui } = meta;
  return (isObject(ui) ? ui['resourceUri'] : undefined) ?? meta['ui/resourceUri'];
}
