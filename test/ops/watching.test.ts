import { readFileSync } from 'node:fs';
import { createMetrics } from '@outdial/runtime';
import { sweeps } from '@outdial/scheduler/sweeps';
import { workerSweeps } from '@outdial/worker';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  annotations: z.object({ runbook_url: z.string() }),
});
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(rule) })) })
  .parse(parse(read('ops/prometheus/outdial.rules.yml')))
  .groups.flatMap((group) => group.rules);
const target = z.object({ expr: z.string(), legendFormat: z.string() });
const board = z
  .object({
    uid: z.string(),
    title: z.string(),
    schemaVersion: z.number(),
    panels: z.array(
      z.object({
        id: z.number(),
        title: z.string(),
        gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(target).min(1),
      }),
    ),
  })
  .parse(JSON.parse(read('ops/grafana/outdial.json')));

/** The exported metric names. Series of a histogram have one of three suffixes. */
async function exportedNames(): Promise<Set<string>> {
  const metrics = createMetrics({ service: 'test' });
  metrics.watchPool(() => ({ open: 1, idle: 1, waiting: 0 }));
  const names = (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name);
  return new Set(names.flatMap((name) => [name, `${name}_count`, `${name}_bucket`, `${name}_sum`]));
}

function metricsIn(expression: string): string[] {
  return expression.match(/\b(?:outdial|nodejs|process)_[a-z0-9_]+\b/g) ?? [];
}

test('each alert has a section in the runbooks, and each section an alert', () => {
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  }
  const sections = Array.from(read('docs/runbooks.md').matchAll(/^## (.+)$/gm), ([, alert = '']) => alert);
  expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

test('alerts and dashboard only use existing metrics', async () => {
  const exported = await exportedNames();
  const asked = [...rules, ...board.panels.flatMap((panel) => panel.targets)].flatMap(({ expr }) =>
    metricsIn(expr),
  );
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((name) => !exported.has(name))).toEqual([]);
});

test('the dashboard shows all of our metrics, and no panels overlap', async () => {
  const shown = new Set(
    board.panels.flatMap((panel) => panel.targets).flatMap(({ expr }) => metricsIn(expr)),
  );
  const own = (await createMetrics({ service: 'test' }).registry.getMetricsAsJSON())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('outdial_'));
  const isShown = (name: string) => [name, `${name}_bucket`, `${name}_count`].some((each) => shown.has(each));
  expect(own.filter((name) => !isShown(name))).toEqual([]);
  const places = board.panels.map(({ gridPos }) => `${gridPos.x}/${gridPos.y}`);
  expect(new Set(places).size).toBe(board.panels.length);
});

test('the legend of a panel only uses labels of its query', () => {
  const unknown = board.panels
    .flatMap(({ targets }) => targets)
    .filter(({ expr, legendFormat }) => {
      const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
      // A query without aggregation keeps all labels, and Prometheus adds `instance` and `job`.
      const known = expr.includes('(') ? kept : ['instance', 'job', 'service'];
      const named = [...legendFormat.matchAll(/\{\{ *(\w+) *\}\}/g)].map(([, label = '']) => label);
      return named.some((label) => !known.includes(label));
    });
  expect(unknown).toEqual([]);
});

test('the manual has a row for exactly our metrics', async () => {
  const own = (await createMetrics({ service: 'test' }).registry.getMetricsAsJSON())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('outdial_'));
  const rows = [...read('docs/operations.md').matchAll(/^\| `(outdial_[a-z_]+)`/gm)].map(([, name]) => name);
  // Processes with a database also have pool metrics.
  const expected = [...own, 'outdial_pool_connections'];
  expect(rows).toHaveLength(expected.length);
  expect(new Set(rows)).toEqual(new Set(expected));
});

describe('the manual', () => {
  const manual = read('docs/operations.md');

  test('has the labels of each metric', async () => {
    const metrics = createMetrics({ service: 'test' });
    metrics.watchPool(() => ({ open: 1, idle: 1, waiting: 0 }));
    const rows = manual.matchAll(/^\| `(outdial_[a-z_]+)` *\| ([^|]*)\|/gm);
    const documented = Object.fromEntries(
      [...rows].map(([, name = '', labels = '']) => [
        name,
        [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
      ]),
    );
    const exported = Object.fromEntries(
      Object.keys(documented).map((name) => [name, labelsOf(metrics.registry.getSingleMetric(name))]),
    );
    expect(documented).toEqual(exported);
  });

  test('has a link to the runbook of each alert', () => {
    expect(rules.filter(({ alert }) => !manual.includes(`(runbooks.md#${alert.toLowerCase()})`))).toEqual([]);
  });

  test('has each sweep with its interval, and names those whose work is routine', () => {
    const rows = [...manual.matchAll(/^\| `([a-z-]+)`(?: \(workers\))? *\| ([^|]*?) *\| /gm)];
    const documented = new Map(rows.map(([, name = '', every = '']) => [name, every]));
    const all = [...sweeps, ...workerSweeps];
    expect(new Set(documented.keys())).toEqual(new Set(all.map(({ name }) => name)));
    const isRight = ({ name, everyMs }: { name: string; everyMs: number }) =>
      documented.get(name)?.includes(interval(everyMs));
    expect(all.filter((sweep) => !isRight(sweep))).toEqual([]);
    const routine = /The sweeps\s([^.]*) are routine/.exec(manual)?.[1] ?? '';
    const named = new Set([...routine.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
    const isNamed = (name: string) => name.startsWith('forget-') || named.has(name);
    expect(all.filter(({ name, isRoutine = false }) => isRoutine !== isNamed(name))).toEqual([]);
  });
});

function interval(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 && ms > 60_000 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}

/** The labels that a metric of our own may have. */
function labelsOf(metric: unknown): string[] {
  return z
    .object({ labelNames: z.array(z.string()) })
    .parse(metric)
    .labelNames.filter((label) => label !== 'le');
}
