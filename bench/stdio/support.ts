/** What the scripts on stdio share: they say over a channel of their own what CPU time they used. */

/** Answers that question, each time that it is asked. */
export function answerCpu(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
}
