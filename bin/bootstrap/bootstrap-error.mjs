/** Something that the person who started us can put right; its message is one clear line. */
export class BootstrapError extends Error {
  name = 'BootstrapError';
}
