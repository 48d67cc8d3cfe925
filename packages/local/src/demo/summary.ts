import type { CampaignProgress } from '@outdial/db';

export interface Summary {
  lines: string[];
  /** The contradiction in the counts; null if there is none. */
  fault: string | null;
}

/** The result of a list as a table of outcomes, which add up to the list. */
export function summarize(
  progress: CampaignProgress,
  list: { recipients: number; leftOut: number },
): Summary {
  const outcomes = Object.entries(progress.outcomes).toSorted(([, a], [, b]) => b - a);
  const { total, suppressed } = progress.recipients;
  const ended = outcomes.reduce((sum, [, count]) => sum + count, 0) + suppressed;
  const notDialed = total - ended;
  const rows: Array<[string, number]> = [
    ...outcomes,
    ...(suppressed > 0 ? ([['suppressed', suppressed]] as Array<[string, number]>) : []),
    ...(notDialed > 0 ? ([['not reached yet', notDialed]] as Array<[string, number]>) : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length), 'rows skipped'.length);
  const line = (name: string, count: number) => `  ${name.padEnd(width)}  ${String(count).padStart(7)}`;
  return {
    lines: [
      `  ${'outcome'.padEnd(width)}  people`,
      ...rows.map(([name, count]) => line(name, count)),
      `  ${'-'.repeat(width + 9)}`,
      line('on the list', total),
      line('dials made', progress.dials),
      line('rows skipped', list.leftOut),
    ],
    fault: faultOf(progress, { notDialed, listed: list.recipients }),
  };
}

function faultOf(
  progress: CampaignProgress,
  { notDialed, listed }: { notDialed: number; listed: number },
): string | null {
  if (progress.status !== 'finished') return `the campaign is ${progress.status}`;
  const { total } = progress.recipients;
  if (total !== listed) return `the campaign has ${total} of the list's ${listed} people`;
  return notDialed === 0 ? null : `${notDialed} people have no outcome`;
}
