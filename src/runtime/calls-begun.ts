/** Counts the calls that all clients have begun, so that `bulk` can tell a worker that failed before it made any. */
export const callsBegun = { count: 0 }
