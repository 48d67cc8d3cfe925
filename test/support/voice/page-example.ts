import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../child-environment.ts';

const program = fileURLToPath(new URL('../../../examples/web-call-page/server.mjs', import.meta.url));

/** Starts the example's server like its reader. */
export async function startPageExample(env: {
  OUTDIAL_URL: string;
  OUTDIAL_API_KEY: string;
  OUTDIAL_AGENT_ID: string;
}): Promise<{ url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { ...childEnvironment, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([first]) => String(first)),
    exited.then(() => Promise.reject(new Error('the example ended'))),
  ]);
  const url = /http:\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the example printed ${line}`);
  return {
    url,
    async close() {
      child.kill();
      await exited;
    },
  };
}
