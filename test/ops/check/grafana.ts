import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { cacheFolder } from '../../support/debian/unpack-packages.ts';
import { findPromtool } from './find-promtool.ts';
import { npmTries, runProgram } from './run-program.ts';

const board = join(import.meta.dirname, '../../../ops/grafana/outdial.json');
const compiler = join(import.meta.dirname, '../../../node_modules/.bin/tsc');
const panels = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });

/**
 * Checks that Prometheus can parse the query of every panel, and that the dashboard conforms to Grafana's published schema. watching.test.ts checks
 * the names of metrics.
 */
export async function checkGrafanaBoard(): Promise<void> {
  await checkQueries();
  await checkForm(readFileSync(board, 'utf8'));
}

async function checkQueries(): Promise<void> {
  const found = await findPromtool();
  if (found.state === 'missing') throw new Error(found.reason);
  const queries = panels
    .parse(JSON.parse(readFileSync(board, 'utf8')))
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, at) => ({ record: `panel:query_${at}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), 'outdial-board-'));
  try {
    // promtool reads queries only from rule files.
    writeFileSync(join(folder, 'board.yml'), stringify({ groups: [{ name: 'board', rules }] }));
    await runProgram(found.program.path, ['check', 'rules', 'board.yml'], { cwd: folder, ...found.program });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const schema = '@grafana/schema@13.2.3';

/**
 * Grafana's schema of dashboards and of this dashboard's kind of panel, which Grafana publishes as TypeScript types. Enumerations are replaced by
 * their JSON values, and missing panel options have defaults.
 */
const form = `import type { Dashboard, FieldConfigSource, Panel } from '@grafana/schema';
import type { FieldConfig, Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
type Json<T> = T extends string ? \`\${T}\` : T extends readonly (infer Item)[] ? Json<Item>[] : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T;
type Some<T> = T extends readonly (infer Item)[] ? Some<Item>[] : T extends object ? { [Key in keyof T]?: Some<T[Key]> } : T;
type TimeSeries = Json<Omit<Panel, 'options' | 'fieldConfig' | 'targets'>> & {
  type: 'timeseries';
  options: Some<Json<Options>>;
  fieldConfig: Some<Json<FieldConfigSource<FieldConfig>>>;
  targets: { refId: string; expr: string; legendFormat: string; datasource: { type: 'prometheus'; uid: string } }[];
};
type Board = Omit<Json<Dashboard>, 'panels'> & { panels: TimeSeries[] };
`;

async function checkForm(text: string): Promise<void> {
  const folder = join(cacheFolder, 'grafana');
  mkdirSync(folder, { recursive: true });
  const flags = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...npmTries];
  await runProgram('npm', ['install', ...flags, schema], { cwd: folder });
  const compile = async (json: string) => {
    writeFileSync(join(folder, 'board.mts'), `${form}export const board: Board = ${json.trim()};\n`);
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    await runProgram(compiler, [...options, 'board.mts'], { cwd: folder });
  };
  await compile(text);
  // Checks the checker: a schema that accepts everything would report no fault either.
  const isTaken = await compile(text.replace('"displayMode": "list"', '"displayMode": "lists"')).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new Error('the schema of Grafana accepts a legend that does not exist');
}
