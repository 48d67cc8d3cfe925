import { createRequire } from 'node:module';
import type twilio from 'twilio';

type Sdk = typeof twilio;

const require = createRequire(import.meta.url);
let loaded: Sdk | undefined;

/** Twilio's SDK takes most of a second to load, so only a process with a Twilio account loads it. */
export function loadSdk(): Sdk {
  // `require` returns no types; these are the module's own declarations.
  loaded ??= require('twilio') as Sdk;
  return loaded;
}
