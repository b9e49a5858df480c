/** Which test files are slow, which run at night alone, and which need a process of their own. All others are fast and share processes. */

/** Files that take more than two seconds of processor time, or start more than three processes; each with what it costs. */
export const slowFiles: Readonly<Record<string, string>> = {};

/** Files that only the nightly tier runs, each with the file of a quicker tier that finds the same faults. */
export const nightlyFiles: Readonly<Record<string, string>> = {};

/** Fast files that need a process of their own, each with the reason. */
export const ownProcess: Readonly<Record<string, string>> = {
  'src/node/client/fetch-contract.test.ts': 'imports the tests of other files once more, with another `fetch`',
};
