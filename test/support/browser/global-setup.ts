import type { TestProject } from 'vitest/node';
import { noteLeftOut } from '../services/left-out.ts';
import { type ChromiumProgram, findChromium } from './find-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if there is none, and the tests in a browser are left out. */
    chromium: ChromiumProgram | null;
  }
}

/** Finds a Chromium for the tests in a browser; `OUTDIAL_REQUIRE_CHROMIUM=1` fails where there is none. */
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
