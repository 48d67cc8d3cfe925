/** Why a server exited before it was ready, according to its log. */
export type StartFailure =
  | { reason: 'port_taken' }
  /** Processes of a killed server are still exiting. */
  | { reason: 'still_ending' }
  /** With the server's message. */
  | { reason: 'refused'; message: string };

/** Reads the log of one failed start. It is in English, because the server runs with LC_ALL=C. */
export function diagnoseStart(log: string): StartFailure {
  if (/could not bind .* address .*: Address already in use/.test(log)) return { reason: 'port_taken' };
  if (/pre-existing shared memory block .* is still in use/.test(log)) return { reason: 'still_ending' };
  const faults = [...log.matchAll(/(?:PANIC|FATAL): {2}(.*)/g)].map((match) => match[1] ?? '');
  // "the database system is starting up" is the reply to early connections, not a fault.
  const fault = faults.find((message) => !message.startsWith('the database system is'));
  const lastLine = log.trim().split('\n').at(-1);
  return { reason: 'refused', message: fault || lastLine || 'it exited without a message' };
}
