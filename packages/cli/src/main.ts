import { resolve } from 'node:path';
import { runCli } from './program.ts';

// The reader has read enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), {
  // The data directory of `npm start`; npm runs both in the folder of package.json.
  env: { OUTDIAL_DATA_DIR: resolve('.outdial'), ...process.env },
  in: process.stdin,
  out: process.stdout,
  err: process.stderr,
  isTerminal: process.stdout.isTTY,
  workingDirectory: process.env['INIT_CWD'] ?? process.cwd(),
  now: () => new Date(),
  adapterRules: () => import('@outdial/providers'),
  interrupted: (stop) => {
    process.once('SIGINT', stop);
    return () => process.off('SIGINT', stop);
  },
});
