import type { Finding, Results } from '../program.ts';

const columns = ['measurement', 'baseline in the same run', 'goal', 'median', 'spread', 'met'];
const words = { met: 'yes', missed: '**no**', told: '–', 'not measured': 'not measured' };

/** The page: a section for each program with its table, its pictures, and how it was measured. */
export function renderMarkdown(
  machine: string,
  programs: ReadonlyArray<Results & { title: string; measuredOn: string }>,
): string {
  return [
    '# Measurements',
    '',
    `\`npm run bench\` writes this page. It measured everything on one machine (${machine}), shared by Postgres, which`,
    'flushes every commit, Redis, the processes of Outdial and the measuring program. Absolute figures hold for that machine; ratios to a',
    'baseline of the same run transfer better. `npm run bench -- --only NAME` repeats one measurement; `--quick` is a short trial run.',
    '[What a call costs](../decisions/what-a-call-costs.md) has what was found and tried.',
    '',
    ...programs.flatMap(renderSection),
  ].join('\n');
}

function renderSection({
  title,
  measuredOn,
  findings,
  plots,
  notes,
}: Results & { title: string; measuredOn: string }): string[] {
  return [
    `## ${title}`,
    '',
    ...renderTable(findings),
    '',
    ...plots.flatMap((plot) => [`![${plot.title}](${plot.file}.svg)`, '']),
    ...[...notes, `Measured on ${measuredOn}.`].map((note) => `- ${note}`),
    '',
  ];
}

export function renderTable(findings: readonly Finding[]): string[] {
  return [
    row(columns),
    row(columns.map(() => '---')),
    ...findings.map((one) =>
      row([one.what, one.baseline, one.goal, one.measured, one.spread, words[one.verdict]]),
    ),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
