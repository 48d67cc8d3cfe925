import type { CampaignProgress } from '@outdial/db';

/** A campaign's progress in a line for a person. */
export function progressLine(progress: CampaignProgress): string {
  const outcomes = Object.entries(progress.outcomes)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([outcome, count]) => `${outcome} ${count}`);
  const waiting =
    progress.waitingFor === null ? [] : [`waiting for ${progress.waitingFor}${until(progress)}`];
  return [
    progress.status,
    `${progress.ended}/${progress.total}`,
    `in call ${progress.inHand}`,
    `dials ${progress.attempts}`,
    ...outcomes,
    ...waiting,
  ].join(' · ');
}

function until({ nextDialAt }: CampaignProgress): string {
  return nextDialAt === null ? '' : ` until ${nextDialAt.toISOString()}`;
}

/** The same for a machine. */
export function progressJson(progress: CampaignProgress): object {
  return {
    status: progress.status,
    total: progress.total,
    ended: progress.ended,
    in_hand: progress.inHand,
    attempts: progress.attempts,
    outcomes: progress.outcomes,
    suppressed: progress.suppressed,
    next_dial_at: progress.nextDialAt?.toISOString() ?? null,
    waiting_for: progress.waitingFor,
  };
}

/** Whether nothing will change any more. */
export function isOver(progress: CampaignProgress): boolean {
  return (progress.status === 'finished' || progress.status === 'canceled') && progress.inHand === 0;
}
