import { findAsterisk, type AsteriskSystem } from './find-asterisk.ts';
import { findSipp, type Sipp } from './find-sipp.ts';

export interface TrunkPrograms {
  system: AsteriskSystem;
  sipp: Sipp;
}

export type FoundPrograms =
  | { state: 'found'; programs: TrunkPrograms }
  | { state: 'missing'; reason: string };

/** Finds or downloads Asterisk and sipp. The download takes a minute or two, once. */
export async function findTrunkPrograms(): Promise<FoundPrograms> {
  const sipp = await findSipp();
  if (sipp.state === 'missing') return sipp;
  const asterisk = await findAsterisk();
  if (asterisk.state === 'missing') return asterisk;
  return { state: 'found', programs: { system: asterisk.program, sipp: sipp.program } };
}

/**
 * For `describe.skipIf` in tests on a real Asterisk. Without Asterisk, the tests are skipped with a message, or fail with
 * `OUTDIAL_REQUIRE_ASTERISK=1`.
 */
export async function trunkForTests(): Promise<{ isMissing: boolean; programs(): TrunkPrograms }> {
  const found = await findTrunkPrograms();
  if (found.state === 'found') return { isMissing: false, programs: () => found.programs };
  const { reason } = found;
  if (process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1') {
    throw new Error(`OUTDIAL_REQUIRE_ASTERISK is set, and there is no Asterisk: ${reason}`);
  }
  console.error(`!!! LEFT OUT: tests on a real Asterisk, since ${reason}.`);
  return {
    isMissing: true,
    programs() {
      throw new Error(`there is no Asterisk: ${reason}`);
    },
  };
}

/** Arguments with which AMD decides within a second, which suffices for the simple voices of the carrier. */
export const quickDetection = '1500,900,300,3000,100,50,3,256';
