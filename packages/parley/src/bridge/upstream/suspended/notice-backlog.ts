import { jsonText } from '../../../json/exact-number.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';

/** Notification of a server. */
export interface ServerNotice {
  readonly method: string;
  readonly params: JsonObject;
}

/** Limits of the notifications that wait, and of their text together. */
const maxNotices = 100;
const mostCharacters = 256 * 1024;

/** The last notifications that came while no request had the call, within a limit: the oldest are dropped. */
export class NoticeBacklog {
  #notices: { readonly notice: ServerNotice; readonly size: number }[] = [];
  #size = 0;

  /** Number of characters of those that wait. */
  get size(): number {
    return this.#size;
  }

  add(notice: ServerNotice): void {
    const size = notice.method.length + jsonText(notice.params).length;
    // Whatever it is, it is not worth all the others.
    if (size > mostCharacters) return;
    this.#notices.push({ notice, size });
    this.#size += size;
    while (this.#notices.length > maxNotices || this.#size > mostCharacters)
      this.#size -= this.#notices.shift()?.size ?? 0;
  }

  /** Removes and returns them, in their original order. */
  take(): readonly ServerNotice[] {
    this.#size = 0;
    return this.#notices.splice(0).map(({ notice }) => notice);
  }
}
