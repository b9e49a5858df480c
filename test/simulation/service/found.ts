/** Seeds by which something failed once, with what it was: in one process, in two and in three. */
export const failedOnce: Readonly<Record<'one' | 'two' | 'three', Readonly<Record<number, string>>>> = {
  one: {
    1796: 'a list that changes while its stream is lost is looked at again',
    1_036_215: 'a call that waits for a session which is lost before it was used waits for the next',
  },
  two: {
    261_403: 'a change that is made while a stream is broken is told by the process that has it again',
    392_197: 'an answer that is silent begins with what it can be resumed from',
  },
  three: {
    228_881: 'a change that is made while a stream is broken is told by the process that has it again',
    2507: 'a change that is made while a process hears nothing of the store reaches its sessions',
    1128: 'an answer that nobody took leaves no timer behind its process',
    14_133: 'who reads a stream of another process leaves no timer behind its own',
    1566: 'a cancellation that is told again leaves no timer behind its process',
  },
};
