/** Why a server ended before it was ready, as far as its log tells. */
export type StartFailure =
  | { reason: 'port_taken' }
  /** Processes of a server that was killed have not ended yet. */
  | { reason: 'still_ending' }
  /** The server's own words. */
  | { reason: 'refused'; message: string };

/** Reads the log of one failed start. The server runs with LC_ALL=C, so its words are the English ones. */
export function diagnoseStart(log: string): StartFailure {
  if (/could not bind .* address .*: Address already in use/.test(log)) return { reason: 'port_taken' };
  if (/pre-existing shared memory block .* is still in use/.test(log)) return { reason: 'still_ending' };
  const faults = [...log.matchAll(/(?:PANIC|FATAL): {2}(.*)/g)].map((match) => match[1] ?? '');
  // "the database system is starting up" answers early connections; it is no fault.
  const fault = faults.find((message) => !message.startsWith('the database system is'));
  const lastWords = log.trim().split('\n').at(-1);
  return { reason: 'refused', message: fault || lastWords || 'it ended without a word' };
}
