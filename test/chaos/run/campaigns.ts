import { engineNow } from '@outdial/db';
import { again } from '../stack/again.ts';
import type { ChaosStack, StackLimits } from '../stack/chaos-stack.ts';

/** A campaign of the run, with the limits that it must respect. */
export interface ChaosCampaign {
  id: string;
  name: string;
  size: number;
  lines: number;
  callsPerSecond: number | null;
  callBackAttempts: number;
  retryDelaySeconds: number;
  /** No dial is allowed from `fromMs` to `untilMs`, by the database's clock. */
  shut: { fromMs: number; untilMs: number } | null;
}

interface Plan {
  name: string;
  firstNumber: number;
  size: number;
  lines: number;
  callsPerSecond: number | null;
  callBackAttempts: number;
  /** Seconds from the start at which the window closes, and opens again. */
  shutSeconds: { from: number; until: number } | null;
}

const retryDelaySeconds = 2;

/** Numbers that belong to no subscriber, because 555 is not an area code. */
function numberOf(index: number): string {
  return `+1555${String(1_000_000 + index)}`;
}

/** Creates two campaigns of one organization that call some of the same people. */
export async function startCampaigns(
  stack: ChaosStack,
  args: { recipients: number; limits: StackLimits },
): Promise<ChaosCampaign[]> {
  const { organizationLines, providerCallsPerSecond } = args.limits;
  const first = Math.ceil(args.recipients * 0.6);
  const shared = Math.ceil(args.recipients * 0.05);
  const plans: Plan[] = [
    {
      name: 'first',
      firstNumber: 0,
      size: first,
      lines: Math.ceil(organizationLines * 0.75),
      callsPerSecond: null,
      callBackAttempts: 2,
      shutSeconds: null,
    },
    {
      name: 'second',
      firstNumber: first - shared,
      size: args.recipients - first,
      lines: Math.ceil(organizationLines * 0.5),
      callsPerSecond: Math.ceil(providerCallsPerSecond / 2),
      callBackAttempts: 1,
      shutSeconds: { from: 14, until: 20 },
    },
  ];
  const started: ChaosCampaign[] = [];
  for (const plan of plans) started.push(await start(stack, plan));
  return started;
}

async function start(stack: ChaosStack, plan: Plan): Promise<ChaosCampaign> {
  const client = stack.organization.clients.admin;
  const nowMs = (await engineNow(stack.db)).getTime();
  const at = (seconds: number) => Math.ceil(nowMs / 1000) * 1000 + seconds * 1000;
  const shut = plan.shutSeconds && { fromMs: at(plan.shutSeconds.from), untilMs: at(plan.shutSeconds.until) };
  const created = await again('create a campaign', () =>
    client.createCampaign({
      name: plan.name,
      agent_id: stack.organization.agentId,
      phone_numbers: Array.from({ length: plan.size }, (_, n) => numberOf(plan.firstNumber + n)),
      additional_params: { timezone: 'UTC' },
      // A window that is open all day except for some seconds: it starts after the gap and runs past midnight.
      ...(shut && { start_time: timeOf(shut.untilMs), end_time: timeOf(shut.fromMs) }),
    }),
  );
  const { id } = created;
  await again('configure a campaign', () =>
    client.setConfig(id, {
      call_on_weekend: true,
      queue_again: false,
      call_back_attempts: plan.callBackAttempts,
      retry_delay_seconds: retryDelaySeconds,
      max_concurrent_calls: plan.lines,
      calls_per_second: plan.callsPerSecond,
    }),
  );
  await again('run a campaign', () => client.setStatus(id, 'running'));
  const { name, size, lines, callsPerSecond, callBackAttempts } = plan;
  return { id, name, size, lines, callsPerSecond, callBackAttempts, retryDelaySeconds, shut };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
