/** Seeds by which something failed once, with what it was: in one process, and in three. */
export const failedOnce: Readonly<Record<'one' | 'three', Readonly<Record<number, string>>>> = {
  one: {
    1796: 'a list that changes while its stream is lost is looked at again',
  },
  three: {
    2507: 'a change that is made while a process hears nothing of the store reaches its sessions',
    1128: 'an answer that nobody took leaves no timer behind its process',
    14_133: 'who reads a stream of another process leaves no timer behind its own',
    1566: 'a cancellation that is told again leaves no timer behind its process',
  },
};
