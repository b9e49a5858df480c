/** How long tests wait for what is to come: far longer than anything takes that is not stuck, also where a machine does much else. Only what fails waits for it. */
export const stuckAfterMs = 120_000;
