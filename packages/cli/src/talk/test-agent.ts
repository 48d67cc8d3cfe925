import {
  callerOf,
  judge,
  ModelFailedError,
  type SimulatedCall,
  simulateCall,
  type Scenario,
  scenarioFile,
} from '@outdial/voice';
import { parse } from 'yaml';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { environmentOf } from '../open-database.ts';
import { readText } from '../open-file.ts';
import { say } from '../output.ts';
import { openTalk, type Talk } from './open-talk.ts';

export interface TestOptions {
  json?: boolean;
  org?: string;
  only?: string;
}

interface Result {
  name: string;
  passed: boolean;
  faults: string[];
  seconds: number;
  turns: Array<{ role: string; text: string; interrupted: boolean }>;
  tools: string[];
  notes: object[];
}

export async function testAgent(context: CliContext, options: TestOptions, file: string): Promise<void> {
  await inOrganization(context, options, async (db, organizationId) => {
    const read = readScenarios(context, file);
    const talk = await openTalk(db, { organizationId, named: read.agent, env: environmentOf(context) });
    const results: Result[] = [];
    try {
      for (const scenario of read.scenarios) {
        if (!scenario.name.includes(options.only ?? '')) continue;
        results.push(await play(talk, scenario, { ...read.prompt_params, ...scenario.prompt_params }));
      }
    } finally {
      await talk.close();
    }
    const failed = results.filter(({ passed }) => !passed).length;
    const last = `${results.length - failed} passed, ${failed} failed`;
    say(context, options, { passed: failed === 0, results }, [...results.flatMap(report), last]);
    if (results.length === 0) throw new CliError('no_scenario', 'no scenario has such a name');
    if (failed > 0) {
      throw new CliError('scenarios_failed', `${failed} of ${results.length} scenarios failed`);
    }
  });
}

function readScenarios(context: CliContext, file: string) {
  let value: unknown;
  try {
    value = parse(readText(context, file));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('faulty_file', `${file} has errors: ${error instanceof Error ? error.message : ''}`);
  }
  const read = scenarioFile.safeParse(value);
  if (read.success) return read.data;
  const faults = read.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new CliError('faulty_file', `${file} has errors: ${faults.join('; ')}`);
}

async function play(talk: Talk, scenario: Scenario, promptParams: Record<string, string>): Promise<Result> {
  const notes: object[] = [];
  const { conversation, voice, greets } = await talk.open({
    promptParams,
    answers: scenario.tools,
    note: (note) => notes.push(note),
  });
  const caller = callerOf(scenario.caller, (endpoint) => talk.model(endpoint));
  try {
    const simulated = await simulateCall({ conversation, voice, greets, caller });
    return { ...described(scenario, simulated, judge(scenario.expect, simulated)), notes };
  } catch (error) {
    if (!(error instanceof ModelFailedError)) throw error;
    const { name } = scenario;
    return { name, passed: false, faults: [error.message], seconds: 0, turns: [], tools: [], notes };
  }
}

function described(scenario: Scenario, simulated: SimulatedCall, faults: string[]): Omit<Result, 'notes'> {
  const turns = simulated.turns.map(({ role, text, interrupted }) => ({ role, text, interrupted }));
  const { tools, seconds } = simulated;
  return { name: scenario.name, passed: faults.length === 0, faults, seconds, turns, tools };
}

/** A failed scenario shows its transcript. */
function report({ name, passed, faults, seconds, turns }: Result): string[] {
  if (passed) return [`ok      ${name} (${Math.round(seconds)} s)`];
  return [
    `FAILED  ${name}`,
    ...faults.map((fault) => `        ${fault}`),
    ...turns.map(({ role, text, interrupted }) => `          ${role}: ${text}${interrupted ? ' —' : ''}`),
  ];
}
