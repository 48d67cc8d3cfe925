import { join } from 'node:path';
import { nodeModules, root } from './paths.mjs';

/** The program and the dependencies of each command. `install` runs no program. */
export const programs = {
  install: { needs: 'full', args: null },
  start: { needs: 'prod', args: [join(root, 'packages/local/src/main.ts')] },
  'demo:asterisk': { needs: 'full', args: [join(root, 'test/support/asterisk/demo.ts')] },
  'demo:voice': { needs: 'full', args: [join(root, 'test/support/voice/demo/demo.ts')] },
  cli: { needs: 'prod', args: [join(root, 'packages/cli/src/main.ts')] },
  check: { needs: 'full', args: [join(root, 'test/steps/check.ts')] },
  test: { needs: 'full', args: [join(nodeModules, 'vitest/vitest.mjs'), 'run', '--root', root] },
};
