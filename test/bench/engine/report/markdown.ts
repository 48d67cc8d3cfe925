import type { Finding, Results } from '../program.ts';

const columns = ['what', 'baseline in the same run', 'goal', 'measured (median)', 'spread', 'met'];
const words = { met: 'yes', missed: '**no**', told: '–', 'not measured': 'not measured' };

/** The page: the table, the pictures, and how each line was measured. */
export function renderMarkdown(
  machine: string,
  programs: ReadonlyArray<Results & { measuredOn: string }>,
): string {
  const days = [...new Set(programs.map((program) => program.measuredOn))].toSorted();
  return [
    '# Performance',
    '',
    `Written by \`npm run bench\`, which measures everything below on one machine (${machine}; ${days.join(', ')}): Postgres, which`,
    'flushes every commit, Redis, the processes of Outdial and the measuring program share it. Absolute figures are of that machine;',
    'ratios to a baseline of the same run travel better. `npm run bench -- --only NAME` measures one program again, `--quick` only tries it out.',
    '',
    ...renderTable(programs.flatMap((program) => program.findings)),
    '',
    ...programs
      .flatMap((program) => program.plots)
      .flatMap((plot) => [`![${plot.title}](performance/${plot.file}.svg)`, '']),
    '## How it was measured',
    '',
    ...programs.flatMap((program) => program.notes).map((note) => `- ${note}`),
    '',
    '[What the profile said](decisions/0009-what-the-profile-said.md).',
    '',
  ].join('\n');
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
