import { describe } from 'vitest';
import { findAsterisk, type AsteriskSystem } from './find-asterisk.ts';
import { findSipp, type Sipp } from './find-sipp.ts';

export interface TrunkPrograms {
  system: AsteriskSystem;
  sipp: Sipp;
}

export type FoundPrograms =
  | { state: 'found'; programs: TrunkPrograms }
  | { state: 'missing'; reason: string };

/** Asterisk and sipp, brought in where they are not there yet; that takes a minute or two, once. */
export async function findTrunkPrograms(): Promise<FoundPrograms> {
  const sipp = await findSipp();
  if (sipp.state === 'missing') return sipp;
  const asterisk = await findAsterisk();
  if (asterisk.state === 'missing') return asterisk;
  return { state: 'found', programs: { system: asterisk.program, sipp: sipp.program } };
}

/**
 * Tests on a real Asterisk. Where there can be none they are left out, and say so, unless `OUTDIAL_REQUIRE_ASTERISK` is 1.
 */
export async function describeOnAsterisk(
  name: string,
  tests: (programs: TrunkPrograms) => void,
): Promise<void> {
  const found = await findTrunkPrograms();
  if (found.state === 'found') return void describe(name, () => tests(found.programs));
  if (process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1')
    throw new Error(`OUTDIAL_REQUIRE_ASTERISK is set, and there is no Asterisk: ${found.reason}`);
  console.error(`!!! LEFT OUT: ${name}, since ${found.reason}.`);
  describe.skip(`${name} (left out: ${found.reason})`, () =>
    tests({ system: { root: '', modules: '' }, sipp: { command: '', env: {} } }));
}
