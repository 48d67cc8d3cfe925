import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The cache of downloads, which is kept between runs. */
export const cacheFolder = join(import.meta.dirname, '../../../.cache');
const aptTimeoutMs = 120_000;

export type Unpacked<T> = { state: 'found'; program: T } | { state: 'missing'; reason: string };

/**
 * Provides a program from Debian's or Ubuntu's packages without installing it. apt-get, with its lists, cache and state in a folder of the project,
 * downloads the packages that this system lacks, and `dpkg -x` unpacks them there. Does not change the system, and needs no privileges. Later runs
 * reuse the unpacked files.
 */
export async function unpackPackages<T>(args: {
  /** Its folder in the cache. */
  name: string;
  packages: readonly string[];
  /** The program in this unpacked system, if it runs. */
  foundIn: (root: string) => T | null;
  /** False to use only earlier downloads. Default true. */
  fetches?: boolean;
}): Promise<Unpacked<T>> {
  const folder = join(cacheFolder, args.name);
  const unpacked = join(folder, systemName());
  const earlier = args.foundIn(unpacked);
  if (earlier) return { state: 'found', program: earlier };
  if (args.fetches === false) return missing(`${args.name} has not been downloaded`);
  if (!isDebian()) {
    return missing(`this system has no ${args.name}, and its packages are not those of Debian`);
  }

  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(join(folder, 'new-'));
  try {
    await fetchAndUnpack(fresh, args.packages);
    if (!args.foundIn(join(fresh, 'root'))) {
      return missing(`the ${args.name} of the distribution does not run here unpacked`);
    }
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(join(fresh, 'root'), unpacked);
    const program = args.foundIn(unpacked);
    return program ? { state: 'found', program } : missing(`${unpacked} has gone`);
  } catch (error) {
    // A concurrent run may have been faster.
    const other = args.foundIn(unpacked);
    if (other) return { state: 'found', program: other };
    return missing(`the distribution's ${args.name} could not be downloaded (${firstLine(error)})`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function fetchAndUnpack(folder: string, wanted: readonly string[]) {
  const state = join(folder, 'apt');
  const downloads = join(folder, 'packages');
  const root = join(folder, 'root');
  for (const made of [join(state, 'lists/partial'), join(state, 'cache/archives/partial'), downloads, root]) {
    mkdirSync(made, { recursive: true });
  }
  // Reads the system's sources and its list of installed packages; apt writes only to this folder.
  const options = Object.entries({
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::State::extended_states': join(state, 'extended_states'),
    'Dir::Cache': join(state, 'cache'),
    'Dir::Log': state,
    'Debug::NoLocking': 'true',
    // As root, apt downloads as another user, which may have no access to this folder.
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
      timeout: aptTimeoutMs,
      maxBuffer: 16 * 2 ** 20,
      env: {
        PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
        LC_ALL: 'C',
        DEBIAN_FRONTEND: 'noninteractive',
      },
    });

  await apt('update');
  const plan = await apt(
    'install',
    '--yes',
    '--no-install-recommends',
    // Of the wanted packages, those that are installed too: the program is run from the unpacked files.
    '--reinstall',
    '--print-uris',
    ...wanted,
  );
  const packages = packagesOfPlan(plan.stdout);
  if (packages.length === 0) throw new Error(`apt-get names no packages for ${wanted.join(', ')}`);
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

/**
 * The environment in which a program finds the unpacked libraries. Some, such as those of PulseAudio, are in subfolders, because system libraries
 * refer to them by an absolute path.
 */
export function withLibraries(root: string): Record<string, string> {
  const libraries = ['usr/lib', 'lib']
    .flatMap((lib) => foldersIn(join(root, lib)).filter((folder) => folder.includes('-linux-')))
    .flatMap((folder) => [folder, ...foldersIn(folder).filter(holdsLibraries)]);
  return { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: libraries.join(':') };
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

function holdsLibraries(folder: string): boolean {
  return readdirSync(folder).some((name) => /^lib.+\.so(\.|$)/.test(name));
}

function isDebian(): boolean {
  const release = osRelease();
  const ids = `${release['ID'] ?? ''} ${release['ID_LIKE'] ?? ''}`.split(' ');
  return ids.includes('debian') || ids.includes('ubuntu');
}

/** Part of the cache's path, because the same clone may be mounted into different systems. */
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

function missing(reason: string): { state: 'missing'; reason: string } {
  return { state: 'missing', reason };
}

export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').find((line) => line.startsWith('E:')) ?? text.split('\n')[0] ?? '';
}
