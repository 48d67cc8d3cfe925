import { spawn } from 'node:child_process';
import { quote, repeatsIn } from './repeat.ts';

export interface Step {
  readonly name: string;
  /** One line for people who choose what to run. */
  readonly what?: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** How long the step takes on two quiet cores. One that takes five times as long, and longer than ten minutes, is ended. */
  readonly minutes: number;
}

export interface StepResult {
  readonly step: Step;
  readonly isPassed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** The last lines of a failed step that are shown again at the end, where logs that are cut still have them. */
const shownAgain = 40;

/** Of a step that passed, what is worth a line: what was left out, and how much was tried. */
const figure = /LEFT OUT|\d+ passed, \d+ failed/;

/** Runs the steps in this order, some at once, and goes on past failures. Prints what a failed step printed. */
export async function runSteps(steps: readonly Step[], atOnce: number): Promise<StepResult[]> {
  const waiting = [...steps];
  const results: StepResult[] = [];
  const runInTurn = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      console.log(`begins: ${step.name}`);
      const result = await runStep(step);
      results.push(result);
      console.log(`${wordOf(result)}: ${step.name} (${duration(result.seconds)})`);
      const lines = result.output.trimEnd().split('\n');
      for (const line of result.isPassed ? lines.filter((one) => figure.test(one)) : lines) {
        console.log(`  ${line}`);
      }
    }
  };
  for (const signal of endings) process.once(signal, endAll);
  await Promise.all(Array.from({ length: atOnce }, runInTurn));
  for (const signal of endings) process.off(signal, endAll);
  return results;
}

/** Prints the end of each failed step, one table, and the commands that repeat the failures. Returns whether all steps passed. */
export function reportSteps(results: readonly StepResult[]): boolean {
  const failed = results.filter(({ isPassed }) => !isPassed);
  for (const { step, output } of failed) {
    console.log(`\n== the end of ${step.name}`);
    const lines = output.split('\n').filter((line) => !/✓|^ *kept /.test(line));
    console.log(
      lines
        .slice(-shownAgain)
        .map((line) => line.slice(0, 400))
        .join('\n')
        .trim(),
    );
  }
  console.log(`\n${tableOf(results)}\n`);
  if (failed.length > 0) {
    console.log(`Failed: ${failed.map(({ step }) => step.name).join(', ')}. To repeat each alone:`);
  }
  for (const { step, output } of failed) {
    const repeats = repeatsIn(output);
    for (const command of repeats.length > 0 ? repeats : [commandLine(step)]) {
      console.log(`  ${step.name}: ${command}`);
    }
  }
  console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0;
}

function tableOf(results: readonly StepResult[]): string {
  const width = Math.max(...results.map(({ step }) => step.name.length), 'step'.length);
  const row = (name: string, result: string, took: string) =>
    `${name.padEnd(width)}  ${result.padEnd(8)}  ${took.padStart(12)}`;
  return [
    row('step', 'result', 'took'),
    ...results.map((result) => row(result.step.name, wordOf(result), duration(result.seconds))),
  ].join('\n');
}

/** A step that the machine cannot run says so in a line, and succeeds where that is allowed. */
function wordOf({ isPassed, output }: StepResult): string {
  if (!isPassed) return 'FAILED';
  return /^LEFT OUT/m.test(output) ? 'left out' : 'passed';
}

export function commandLine({ env = {}, command }: Pick<Step, 'env' | 'command'>): string {
  return [
    ...Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`),
    ...command.map(quote),
  ].join(' ');
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** The process groups that run, so that a step ends with all that it started. */
const running = new Set<number>();
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
function endAll(): void {
  for (const group of running) signalGroup(group, 'SIGTERM');
  process.exit(1);
}

async function runStep(step: Step): Promise<StepResult> {
  const startedAtMs = performance.now();
  const [program, ...args] = step.command;
  const child = spawn(program, args, {
    detached: true,
    env: { ...process.env, ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid;
  if (group !== undefined) running.add(group);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const limitMs = Math.max(10, 5 * step.minutes) * 60_000;
  const late = setTimeout(() => {
    output += `\nended after ${duration(limitMs / 1_000)}, which is too long\n`;
    if (group !== undefined) signalGroup(group, 'SIGKILL');
  }, limitMs);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += `${error.message}\n`;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(late);
  if (group !== undefined) running.delete(group);
  return { step, isPassed: status === 0, seconds: (performance.now() - startedAtMs) / 1_000, output };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // All of it has ended.
  }
}
