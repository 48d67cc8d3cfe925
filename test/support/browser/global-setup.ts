import type { TestProject } from 'vitest/node';
import { noteLeftOut } from '../services/left-out.ts';
import { type ChromiumProgram, findChromium } from './find-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if there is none; the browser tests are then skipped. */
    chromium: ChromiumProgram | null;
  }
}

/** Finds a Chromium for the browser tests. With `OUTDIAL_REQUIRE_CHROMIUM=1`, a missing Chromium is an error. */
export default async function setup(project: TestProject): Promise<void> {
  const found = await findChromium();
  if (found.state === 'found') {
    project.provide('chromium', found.program);
    return;
  }
  if (process.env['OUTDIAL_REQUIRE_CHROMIUM'] === '1') {
    throw new Error(`OUTDIAL_REQUIRE_CHROMIUM is set, and there is no Chromium: ${found.reason}`);
  }
  noteLeftOut('every test of the console in a browser', found.reason, 'with a chromium on the PATH');
  project.provide('chromium', null);
}
