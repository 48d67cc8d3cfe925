import { endedRecipients, type CampaignProgress } from '@outdial/db';

export function progressLine(progress: CampaignProgress): string {
  const outcomes = Object.entries(progress.outcomes)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([outcome, count]) => `${outcome} ${count}`);
  const waiting =
    progress.waiting_for === null ? [] : [`waiting for ${progress.waiting_for}${until(progress)}`];
  return [
    progress.status,
    `${endedRecipients(progress)}/${progress.recipients.total}`,
    `in call ${progress.recipients.in_call}`,
    `dials ${progress.dials}`,
    ...outcomes,
    ...waiting,
  ].join(' · ');
}

function until({ next_dial_at: nextDialAt }: CampaignProgress): string {
  return nextDialAt === null ? '' : ` until ${nextDialAt.toISOString()}`;
}

export function progressJson(progress: CampaignProgress): object {
  return {
    status: progress.status,
    recipients: progress.recipients,
    ended: endedRecipients(progress),
    dials: progress.dials,
    outcomes: progress.outcomes,
    lines_in_use: progress.lines_in_use,
    next_dial_at: progress.next_dial_at?.toISOString() ?? null,
    waiting_for: progress.waiting_for,
  };
}

/** Whether the campaign's progress can no longer change. */
export function isOver(progress: CampaignProgress): boolean {
  return (progress.status === 'finished' || progress.status === 'canceled') && progress.lines_in_use === 0;
}
