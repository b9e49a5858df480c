/** Seeds by which something failed once, with what it was. */
export const failedOnce: Readonly<Record<number, string>> = {
  1796: 'a list that changes while its stream is lost is looked at again',
};
