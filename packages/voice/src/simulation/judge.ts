import { isDeepStrictEqual } from 'node:util';
import type { SimulatedCall } from './simulate-call.ts';
import { type Expectation, patternOf } from './scenario.ts';

/** Compares a simulated call with its expectation. Returns the differences, one line each. */
export function judge(expected: Expectation, call: SimulatedCall): string[] {
  const { turns, tools, endedBy, reason, seconds, wrapUp } = call;
  const agent = turns.filter(({ role }) => role === 'agent');
  const said = agent.map(({ text }) => text).join('\n');
  const interruptions = agent.filter(({ interrupted }) => interrupted).length;
  return [
    ...expected.said
      .filter((text) => !patternOf(text).test(said))
      .map((text) => `the agent did not say ${JSON.stringify(text)}`),
    ...expected.not_said
      .filter((text) => patternOf(text).test(said))
      .map((text) => `the agent said ${JSON.stringify(text)}`),
    ...(isInOrder(expected.tools, tools)
      ? []
      : [`tools should be ${listed(expected.tools)}, in this order, and were ${listed(tools)}`]),
    ...expected.not_tools.filter((tool) => tools.includes(tool)).map((tool) => `the tool ${tool} was used`),
    ...Object.entries(expected.extract ?? {})
      .filter(([field, value]) => !isDeepStrictEqual(wrapUp.extract?.[field], value))
      .map(([field, value]) => {
        const was = JSON.stringify(wrapUp.extract?.[field] ?? null);
        return `extract.${field} should be ${JSON.stringify(value)}, and is ${was}`;
      }),
    ...(expected.ended_by === undefined || expected.ended_by === endedBy
      ? []
      : [`the call should be ended by ${expected.ended_by}, and was by ${endedBy} (${reason})`]),
    ...(expected.interruptions === undefined || expected.interruptions === interruptions
      ? []
      : [`${expected.interruptions} answers should be interrupted, and ${interruptions} were`]),
    ...tooMany('turns', turns.length, expected.turns_at_most),
    ...tooMany('seconds', Math.round(seconds), expected.seconds_at_most),
  ];
}

function isInOrder(wanted: readonly string[], used: readonly string[]): boolean {
  let at = 0;
  for (const tool of used) if (tool === wanted[at]) at += 1;
  return at === wanted.length;
}

function tooMany(unit: string, count: number, atMost: number | undefined): string[] {
  return atMost === undefined || count <= atMost ? [] : [`it took ${count} ${unit}, more than ${atMost}`];
}

const listed = (tools: readonly string[]) => (tools.length === 0 ? 'none' : tools.join(', '));
