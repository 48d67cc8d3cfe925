import { join } from 'node:path';
import { nodeModules, root } from './paths.mjs';

/** What each command runs, and whether it needs more than the production dependencies. `install` runs nothing. */
export const programs = {
  install: { needs: 'full', args: null },
  start: { needs: 'prod', args: [join(root, 'packages/local/src/main.ts')] },
  'demo:asterisk': { needs: 'full', args: [join(root, 'test/support/asterisk/demo.ts')] },
  'demo:voice': { needs: 'full', args: [join(root, 'test/support/voice/demo/demo.ts')] },
  cli: { needs: 'prod', args: [join(root, 'packages/cli/src/main.ts')] },
  test: { needs: 'full', args: [join(nodeModules, 'vitest/vitest.mjs'), 'run', '--root', root] },
};
