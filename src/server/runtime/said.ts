/** Limit of messages of one conversation that are remembered; of more, only the number is. */
export const mostRemembered = 1000;

/** Messages that a first run sends before it asks, which most never do. */
export class Said {
  readonly texts: string[] = [];
  more = 0;

  /** Every message is new. */
  isNew(text: string): boolean {
    if (this.texts.length < mostRemembered) this.texts.push(text);
    else this.more++;
    return true;
  }
}

/** Text that tells a message from others. Of what has no JSON text, such as a cycle, only the place is known. */
export function saidWords(message: readonly unknown[]): string {
  try {
    const text = JSON.stringify(message);
    // A part of a long text would keep the whole of it.
    return text.length > 256 ? String(text.length) : text;
  } catch {
    return '';
  }
}
