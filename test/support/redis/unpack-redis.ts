import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FoundRedis } from './find-redis.ts';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../../.cache');
const APT_TIMEOUT_MS = 120_000;

/**
 * The Redis of Debian or Ubuntu without installing it: apt-get, with lists, cache and state in a folder of the
 * project, finds and fetches the packages that this system lacks; `dpkg -x` unpacks them there. Nothing of the
 * system is changed, and it takes no rights. Done once; later runs find it unpacked.
 */
export async function unpackRedis(): Promise<FoundRedis> {
  const unpacked = join(cache, 'redis', systemName());
  const earlier = foundIn(unpacked);
  if (earlier) return earlier;
  if (!isDebian())
    return missing('this system has no redis-server, and its packages are not those of Debian');

  mkdirSync(join(cache, 'redis'), { recursive: true });
  const fresh = mkdtempSync(join(cache, 'redis', 'new-'));
  try {
    await fetchAndUnpack(fresh);
    if (!foundIn(join(fresh, 'root')))
      return missing('the Redis of the distribution does not run here unpacked');
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(join(fresh, 'root'), unpacked);
    return foundIn(unpacked) ?? missing(`${unpacked} has gone`);
  } catch (error) {
    // Another run may have been faster in the same moment.
    const other = foundIn(unpacked);
    if (other) return other;
    return missing(`the distribution's Redis could not be fetched (${firstLine(error)})`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function fetchAndUnpack(folder: string) {
  const state = join(folder, 'apt');
  const downloads = join(folder, 'packages');
  const root = join(folder, 'root');
  for (const made of [join(state, 'lists/partial'), join(state, 'cache/archives/partial'), downloads, root]) {
    mkdirSync(made, { recursive: true });
  }
  // The system's sources and its list of installed packages are read; everything that apt writes goes here.
  const options = Object.entries({
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::State::extended_states': join(state, 'extended_states'),
    'Dir::Cache': join(state, 'cache'),
    'Dir::Log': state,
    'Debug::NoLocking': 'true',
    // As root, apt fetches as a user of its own, who may not be able to enter this folder.
    'APT::Sandbox::User': '',
    'APT::Update::Post-Invoke': '',
    'APT::Update::Post-Invoke-Success': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) =>
    run('apt-get', [...options, '-q', ...args], {
      cwd: downloads,
      timeout: APT_TIMEOUT_MS,
      maxBuffer: 16 * 2 ** 20,
      env: {
        PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
        LC_ALL: 'C',
        DEBIAN_FRONTEND: 'noninteractive',
      },
    });

  await apt('update');
  const plan = await apt('install', '--yes', '--no-install-recommends', '--print-uris', 'redis-server');
  const packages = packagesOfPlan(plan.stdout);
  if (packages.length === 0) throw new Error('apt-get names no packages for redis-server');
  await apt('download', ...packages);
  for (const file of readdirSync(downloads).filter((name) => name.endsWith('.deb'))) {
    await run('dpkg', ['-x', join(downloads, file), root]);
  }
}

/**
 * The packages, as `name=version`, that a plan of `apt-get install --print-uris` would fetch: lines of
 * `'URI' name_version_architecture.deb size checksum`, the version's colon written as %3a.
 */
export function packagesOfPlan(plan: string): string[] {
  return plan.split('\n').flatMap((line) => {
    const [, name, version] = /^'\S+' ([^_\s]+)_([^_\s]+)_\S+\.deb /.exec(line) ?? [];
    return name && version ? [`${name}=${decodeURIComponent(version)}`] : [];
  });
}

/** The server in this unpacked system, with the libraries that lie beside it, if it runs. */
function foundIn(root: string): FoundRedis | null {
  const libraries = ['usr/lib', 'lib'].flatMap((lib) =>
    (existsSync(join(root, lib)) ? readdirSync(join(root, lib)) : [])
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(root, lib, name)),
  );
  const command = join(root, 'usr/bin/redis-server');
  const env = { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: libraries.join(':') };
  if (!existsSync(command)) return null;
  if (spawnSync(command, ['--version'], { env, stdio: 'ignore' }).status !== 0) return null;
  return { state: 'found', program: { command, env } };
}

function isDebian(): boolean {
  const release = osRelease();
  const ids = `${release['ID'] ?? ''} ${release['ID_LIKE'] ?? ''}`.split(' ');
  return ids.includes('debian') || ids.includes('ubuntu');
}

/** The cache of one system is not for another: the same clone may be mounted into several. */
function systemName(): string {
  const release = osRelease();
  return `${release['ID'] ?? process.platform}-${release['VERSION_ID'] ?? 'rolling'}-${process.arch}`;
}

function osRelease(): Record<string, string> {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
    return Object.fromEntries(
      lines.flatMap((line) => {
        const [, name, value] = /^([A-Z_]+)="?(.*?)"?$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value ?? '']];
      }),
    );
  } catch {
    return {};
  }
}

function missing(reason: string): FoundRedis {
  return { state: 'missing', reason };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').find((line) => line.startsWith('E:')) ?? text.split('\n')[0] ?? '';
}
