import { runCli } from './run-cli.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  isTerminal: process.stdout.isTTY,
  workingDirectory: process.env['INIT_CWD'] ?? process.cwd(),
  now: () => new Date(),
  interrupted: (stop) => {
    process.once('SIGINT', stop);
    return () => process.off('SIGINT', stop);
  },
});
