import type { TestProject } from 'vitest/node';
import { isFullRun } from '../../support/full-run.ts';
import { noteLeftOut } from '../../support/services/left-out.ts';
import { findPromtool, type Promtool } from './find-promtool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if there is none; the tests of alerts are then skipped. */
    promtool: Promtool | null;
  }
}

/** Finds promtool. A full run downloads it, and fails if it cannot. */
export default async function setup(project: TestProject): Promise<void> {
  const found = await findPromtool({ fetches: isFullRun });
  if (found.state === 'found') {
    project.provide('promtool', found.program);
    return;
  }
  if (isFullRun) throw new Error(`this is a full run, and there is no promtool: ${found.reason}`);
  noteLeftOut(
    'the tests that trigger alerts',
    found.reason,
    'with a promtool on the PATH, or by `node test/ops/check/main.ts`',
  );
  project.provide('promtool', null);
}
