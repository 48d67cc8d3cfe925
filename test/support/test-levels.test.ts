import { globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { groups } from '../steps/ci.ts';
import { parts } from '../steps/long.ts';
import { ciFiles, filesLeftOut, longFiles } from './test-levels.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('{api,db,packages,scheduler,test,worker}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
});

const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === 'object' && 'test' in project && project.test ? [project.test] : [],
);

test('each file of tests runs at one level first, and at all above it', () => {
  expect(files.length).toBeGreaterThan(300);
  const gone = [...ciFiles, ...longFiles].filter((file) => !files.includes(file));
  expect(gone, 'a file that was renamed would run with the others').toEqual([]);
  expect(ciFiles.filter((file) => longFiles.includes(file))).toEqual([]);
  expect([filesLeftOut('ci', []), filesLeftOut('long', [])]).toEqual([longFiles, []]);
});

test('each file of tests belongs to one project', () => {
  expect(projects.length).toBeGreaterThan(3);
  const isOfLevel = (glob: string) => ciFiles.includes(glob) || longFiles.includes(glob);
  const homes = files.map((file) => {
    const isIn = (globs: readonly string[] = []) => globs.some((glob) => matchesGlob(file, glob));
    const isOut = (globs: readonly string[] = []) => isIn(globs.filter((glob) => !isOfLevel(glob)));
    return { file, in: projects.filter(({ include, exclude }) => isIn(include) && !isOut(exclude)).length };
  });
  expect(homes.filter((home) => home.in !== 1)).toEqual([]);
});

test.each([
  ['.ci/run', 'ci', groups.flat()],
  ['npm run long', 'long', parts],
])('%s runs every project at its level', (_name, level, steps) => {
  const commands = steps
    .filter(({ env }) => env?.['OUTDIAL_TEST_LEVEL'] === level)
    .map(({ command }) => command);
  const run = commands.flatMap((words) => words.filter((_, at) => words[at - 1] === '--project'));
  expect(new Set(run)).toEqual(new Set(projects.map(({ name }) => name)));
  expect(run).toHaveLength(projects.length);
});

test('a file that is named on the command line runs at every level', () => {
  const [file = ''] = longFiles;
  expect(filesLeftOut('quick', [])).toContain(file);
  expect(filesLeftOut('quick', [file])).not.toContain(file);
  expect(filesLeftOut('quick', [`/checkout/${file}`])).not.toContain(file);
});

test('a project that is named on the command line brings no file of another level', () => {
  const commands = groups.flatMap((steps) => steps.map(({ command }) => command));
  const ofProjects = commands.filter((words) => words.includes('--project'));
  expect(ofProjects.length).toBeGreaterThan(3);
  for (const words of ofProjects) expect(filesLeftOut('ci', words.slice(3))).toEqual(longFiles);
});
