import { spawn } from 'node:child_process';

/** `npm run check`: every static check, two at a time, and what each that fails has said. Ends with status 1 where one fails. */
const checks = ['types', 'lint', 'unused', 'fence', 'format'];
const atOnce = 2;

function run(check: string): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', `check:${check}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject).once('close', (status) => resolve({ status, output }));
  });
}

async function runInTurn(): Promise<void> {
  for (let check = checks.shift(); check !== undefined; check = checks.shift()) {
    const startedAtMs = performance.now();
    const { status, output } = await run(check);
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${check} (${seconds} s)`);
    if (status === 0) continue;
    console.log(output.trimEnd());
    process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: atOnce }, runInTurn));
