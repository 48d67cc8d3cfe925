/**
 * Generates a client of `/openapi.json` with six programs of others, and compiles each with `--strict`:
 *
 * npm run generators
 *
 * They are installed in `.cache/generators` with npm when it is empty or their versions have changed, not with the dependencies of the project.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../api/src/http/openapi.ts';
import { routes } from '../../api/src/routes/index.ts';
import { repeatLine } from '../steps/repeat.ts';
import { companions, generators, type Generator } from './generators.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, '.cache/generators');
const minutesMs = 60_000;

const compilerOptions = [
  '--ignoreConfig',
  '--strict',
  '--noEmit',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--lib',
  'es2023,dom,dom.iterable',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
];

install();
const made = mkdtempSync(join(folder, 'made-'));
try {
  const document = join(made, 'openapi.json');
  writeFileSync(document, JSON.stringify(openApiDocument(routes, { version: '1.0.0', serverUrl: '/' })));
  const failed = generators.filter((generator) => !isFine(generator, document));
  if (failed.length > 0) {
    console.log(repeatLine('npm run generators'));
    process.exitCode = 1;
  }
} finally {
  rmSync(made, { recursive: true });
}

function install(): void {
  const dependencies = {
    ...Object.fromEntries(generators.map(({ name, version }) => [name, version])),
    ...companions,
  };
  const manifest = JSON.stringify({ name: 'generators', private: true, type: 'module', dependencies });
  const file = join(folder, 'package.json');
  const done = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(done) && existsSync(file) && readFileSync(file, 'utf8') === manifest) return;
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  writeFileSync(file, manifest);
  const { status, output } = run(
    ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'],
    folder,
    5,
  );
  if (status !== 0) throw new Error(`the generators cannot be installed:\n${output}`);
}

/** Whether the client can be generated and compiled. Prints what the programs say otherwise. */
function isFine({ name, command, entry }: Generator, document: string): boolean {
  const to = join(made, name.replaceAll(/\W/g, '-'));
  mkdirSync(to);
  const [program, ...args] = command(document, to);
  const generated = run([join(folder, 'node_modules/.bin', program), ...args], folder, 2);
  if (generated.status !== 0) {
    console.log(`FAILED  ${name} generates nothing\n${generated.output}`);
    return false;
  }
  const compiled = run([join(root, 'node_modules/.bin/tsc'), ...compilerOptions, join(to, entry)], folder, 2);
  console.log(
    compiled.status === 0 ? `ok      ${name}` : `FAILED  ${name} does not compile\n${compiled.output}`,
  );
  return compiled.status === 0;
}

function run([program = '', ...args]: readonly string[], cwd: string, minutes: number) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: minutes * minutesMs,
  });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.slice(0, 5_000) };
}
