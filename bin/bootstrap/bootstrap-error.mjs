/** A fault that the user can fix. The message is one clear line. */
export class BootstrapError extends Error {
  name = 'BootstrapError';
}
