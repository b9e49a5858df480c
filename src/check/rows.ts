/** Rows of the register that are judged: id, revisions, level and place. Written by scripts/register.ts. */
export const rows = `
basic-001 2024-11-05..draft MUST 2026-07-28/basic/index#messages
basic-005 2024-11-05..draft MUST 2026-07-28/basic/index#requests
basic-009 2024-11-05..draft MUST 2026-07-28/basic/index#result-responses
basic-012 2024-11-05..2025-06-18 MUST_NOT 2025-06-18/basic/index#responses
basic-014 2025-11-25..draft MUST 2026-07-28/basic/index#error-responses
basic-015 2024-11-05..draft MUST 2026-07-28/basic/index#error-responses
basic-017 2024-11-05..draft MUST_NOT 2026-07-28/basic/index#notifications
basic-018 2025-03-26..draft MUST_NOT 2026-07-28/basic/index#notifications
basic-019 2025-03-26 MUST 2025-03-26/basic/index#batching
basic-021 2026-07-28..draft MUST 2026-07-28/basic/index#result-responses
basic-028 2026-07-28..draft MUST_NOT 2026-07-28/basic/index#error-codes
basic-030 2026-07-28..draft MUST_NOT 2026-07-28/basic/index#error-codes
basic-037 2026-07-28..draft MUST_NOT 2026-07-28/basic/patterns/index
meta-002 2025-06-18..draft MUST 2026-07-28/basic/index#_meta
meta-016 2026-07-28..draft SHOULD 2026-07-28/basic/index#_meta
`;
