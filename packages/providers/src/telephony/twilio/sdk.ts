import { createRequire } from 'node:module';
import type twilio from 'twilio';

type Sdk = typeof twilio;

const require = createRequire(import.meta.url);
let loaded: Sdk | undefined;

/** Twilio's SDK takes most of a second to load, so only a process that has an account to speak to loads it. */
export function loadSdk(): Sdk {
  // `require` knows no types; the module's own declarations say what it is.
  loaded ??= require('twilio') as Sdk;
  return loaded;
}
