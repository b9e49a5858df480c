/** The one token of the guarded servers: as long as JWTs are, so that reading and comparing it cost what they do there. */

/** The URL that the servers are known by. */
export const resource = 'http://127.0.0.1/mcp';

/** A token that all of its servers know. */
export const token: string = 'abcdefghijklmnopqrstuvwxyz.0123456789_'.repeat(20).slice(0, 700);
