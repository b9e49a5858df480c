/** Limit of remembered messages of one conversation. Beyond it, only their number is kept. */
export const maxRemembered = 1000;

/** Messages that a first run sends before it asks. Most runs never ask. */
export class ReportedMessages {
  readonly texts: string[] = [];
  more = 0;

  /** Every message is new. */
  isNew(text: string): boolean {
    if (this.texts.length < maxRemembered) this.texts.push(text);
    else this.more++;
    return true;
  }
}

/**
 * Text that distinguishes a message from others. If the message has no JSON text, for example because of a cycle, only
 * its place counts.
 */
export function saidWords(message: readonly unknown[]): string {
  try {
    const text = JSON.stringify(message);
    // A part of a long text would keep the whole text in memory.
    return text.length > 256 ? String(text.length) : text;
  } catch {
    return '';
  }
}
