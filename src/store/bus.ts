/** Texts between the processes of one service. */

/** Ends a subscription; ending it twice is fine. */
export type Unsubscribe = () => void | Promise<void>;

/** Carries texts to whoever listens now, in any process; what nobody hears is gone. */
export interface Bus {
  /**
   * Hands a text to every subscriber of a channel, each channel's texts in the order in which one process sent them.
   * Rejects when the bus cannot be reached.
   */
  publish(channel: string, text: string): void | Promise<void>;
  /** Hears every text that is published on a channel from when the returned promise resolves. */
  subscribe(channel: string, hear: (text: string) => void): Unsubscribe | Promise<Unsubscribe>;
}

/** Makes a bus within this process; a text is heard on a later turn, as from a bus between processes. */
export function memoryBus(): Bus {
  const channels = new Map<string, Set<(text: string) => void>>();
  return {
    publish(channel, text) {
      for (const hear of channels.get(channel) ?? []) queueMicrotask(() => hear(text));
    },
    subscribe(channel, hear) {
      const hearers = channels.get(channel) ?? new Set();
      channels.set(channel, hearers);
      hearers.add(hear);
      return () => {
        hearers.delete(hear);
        if (hearers.size === 0 && channels.get(channel) === hearers) channels.delete(channel);
      };
    },
  };
}
