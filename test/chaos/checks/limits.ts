import type { CheckResult, Evidence } from './evidence.ts';
import { mostAtOnce, mostInASecond, type Interval } from '../../support/intervals.ts';

interface Cap {
  level: string;
  lines: number;
  campaignId: string | null;
}

function capsOf(evidence: Evidence): Cap[] {
  return [
    { level: 'provider', lines: evidence.limits.providerLines, campaignId: null },
    { level: 'organization', lines: evidence.limits.organizationLines, campaignId: null },
    ...evidence.campaigns.map((campaign) => ({
      level: `campaign ${campaign.name}`,
      lines: campaign.lines,
      campaignId: campaign.id,
    })),
  ];
}

function check(
  name: string,
  evidence: Evidence,
  intervals: ReadonlyArray<Interval & { campaignId: string | null }>,
): CheckResult {
  const faults: string[] = [];
  const figures: string[] = [];
  for (const { level, lines, campaignId } of capsOf(evidence)) {
    const most = mostAtOnce(intervals.filter((one) => campaignId === null || one.campaignId === campaignId));
    figures.push(`${level} ${most} of ${lines}`);
    if (most > lines) faults.push(`${level}: ${most} calls at once, ${lines} lines`);
  }
  return { name, faults, figures: figures.join(', ') };
}

export function linesAsTheGatewaySaw(evidence: Evidence): CheckResult {
  const intervals = evidence.seen.flatMap((call) =>
    call.acceptedAtMs === null
      ? []
      : [
          {
            campaignId: call.campaignId,
            fromMs: call.acceptedAtMs,
            untilMs: call.endedAtMs ?? Number.POSITIVE_INFINITY,
          },
        ],
  );
  return check('line caps held, according to the gateway', evidence, intervals);
}

export function linesByTheRows(evidence: Evidence): CheckResult {
  const intervals = evidence.calls.flatMap((call) =>
    call.gated_at === null
      ? []
      : [
          {
            campaignId: call.campaign_id,
            fromMs: call.gated_at.getTime(),
            untilMs: call.ended_at?.getTime() ?? Number.POSITIVE_INFINITY,
          },
        ],
  );
  const result = check('line caps held, according to the rows', evidence, intervals);
  const past = evidence.past.map(({ level, key, inUse, cap }) => `${level} ${key} was at ${inUse} of ${cap}`);
  return { ...result, faults: [...result.faults, ...past] };
}

export function callsPerSecond(evidence: Evidence): CheckResult {
  const rates = [
    { level: 'provider', rate: evidence.limits.providerCallsPerSecond, campaignId: null },
    ...evidence.campaigns.map((campaign) => ({
      level: `campaign ${campaign.name}`,
      rate: campaign.callsPerSecond,
      campaignId: campaign.id,
    })),
  ];
  const faults: string[] = [];
  const figures: string[] = [];
  for (const { level, rate, campaignId } of rates) {
    if (rate === null) continue;
    const most = mostInASecond(
      evidence.gates
        .filter((gate) => campaignId === null || gate.campaignId === campaignId)
        .map((gate) => gate.gatedAt.getTime()),
    );
    figures.push(`${level} ${most} of ${rate}`);
    if (most > rate) faults.push(`${level}: ${most} gates within a second, ${rate} allowed`);
  }
  return { name: 'calls per second held in every window of a second', faults, figures: figures.join(', ') };
}

export function noLineIsLeaked(evidence: Evidence): CheckResult {
  const faults = evidence.counters.flatMap(({ level, key, inUse, held }) =>
    inUse === held && inUse === 0
      ? []
      : [`${level} ${key}: the counter has ${inUse} lines, the rows ${held}`],
  );
  return {
    name: 'counters agree with the rows, and no line is leaked',
    faults,
    figures: `${evidence.counters.length} counters`,
  };
}
