/** What one run of a contender gave. */
export interface Sample {
  /** What is compared: the less the better, in the unit of its case. */
  readonly cost: number;
  /** More figures, by name: `rate` per second, `p50` and `p99` in milliseconds. */
  readonly more?: Readonly<Record<string, number>>;
}

/** A contender that is kept warm between its turns. */
export interface Running {
  /**
   * Takes one turn.
   *
   * @param share How much of the full work is done, above 0 and up to 1.
   * @throws Error when an answer was wrong: such a contender is out of the race.
   */
  turn(share: number): Promise<Sample>;
  stop(): Promise<void>;
}

/** One program that takes part. */
export interface Contender {
  readonly name: string;
  /** Whether it is the limit that the others are divided by. */
  readonly limit?: true;
  /** Whether it is somebody else's, fetched into the cache first. */
  readonly peer?: true;
  start(): Promise<Running>;
}

/** Contenders that do the same work. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** What `cost` is, such as `µs of CPU per request`. */
  readonly unit: string;
  /** What is aimed at, as a person would say it. */
  readonly target: string;
  readonly contenders: readonly Contender[];
  /** How many turns each contender has; 5 by default. */
  readonly rounds?: number;
}
