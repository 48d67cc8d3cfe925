import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix, sep } from 'node:path';
import { findImports } from './imports.ts';
import type { Package } from './rules.ts';
import {
  adapterFacts,
  adapterPackage,
  allowedOutside,
  allowedPackages,
  computedImports,
  layers,
  mayImport,
} from './rules.ts';

interface Violation {
  file: string;
  line: number;
  specifier: string;
  reason: string;
}

export interface FenceReport {
  /** The number of files read in each package, so that a run without files does not count as clean. */
  filesByPackage: ReadonlyMap<Package, number>;
  violations: readonly Violation[];
}

/** Reads every source of the workspace at `root` and reports each import that the rules forbid. */
export function checkFence(root: string): FenceReport {
  const filesByPackage = new Map<Package, number>();
  const violations: Violation[] = [];
  const files = globSync('{api,scheduler,worker,db,test,packages}/**/*.{ts,tsx,mts,cts,js,mjs,cjs}', {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  });
  for (const path of files.toSorted()) {
    const file = path.split(sep).join('/');
    const ownPackage = packageOfFile(file);
    if (ownPackage === null) continue;
    filesByPackage.set(ownPackage, (filesByPackage.get(ownPackage) ?? 0) + 1);
    for (const { specifier, line } of findImports(file, readFileSync(join(root, path), 'utf8'))) {
      const reason = specifier === null ? judgeComputed(file) : judge(file, ownPackage, specifier);
      if (reason !== null) violations.push({ file, line, specifier: specifier ?? '(computed)', reason });
    }
  }
  return { filesByPackage, violations };
}

function judge(file: string, ownPackage: Package, specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const target = posix.normalize(posix.join(posix.dirname(file), specifier));
    const targetPackage = packageOfFile(target);
    if (targetPackage === ownPackage) return judgeLayers(file, target);
    if (ownPackage === 'test') return null;
    const where = targetPackage ?? 'outside every package';
    return `${ownPackage} reaches into ${where} by a path; packages meet by package name only`;
  }
  const targetPackage = packageOfSpecifier(specifier);
  if (targetPackage === null) return judgeOutside(file, ownPackage, specifier);
  if (!mayImport(ownPackage, targetPackage)) return `${ownPackage} may not import ${targetPackage}`;
  if (adapterFacts.includes(specifier)) return null;
  const isMain = posix.basename(file) === 'main.ts';
  if (targetPackage === adapterPackage && ownPackage !== adapterPackage && ownPackage !== 'test' && !isMain) {
    return `only a main.ts may import ${adapterPackage}, because it decides which adapters are built`;
  }
  return null;
}

function judgeLayers(file: string, target: string): string | null {
  for (const [folder, order] of Object.entries(layers)) {
    const [from, to] = [layerOf(folder, file), layerOf(folder, target)];
    if (from === null || to === null || from === to || from === 'index.ts') continue;
    if (order.indexOf(to) > order.indexOf(from)) return `${from} may not import ${to}, which stands on it`;
  }
  return null;
}

/** The folder of a file in a layered package, or the file's name if it is beside the folders. Null outside of layered packages. */
function layerOf(folder: string, file: string): string | null {
  return file.startsWith(`${folder}/`) ? (file.slice(folder.length + 1).split('/')[0] ?? null) : null;
}

function judgeOutside(file: string, ownPackage: Package, specifier: string): string | null {
  const allowed = allowedOutside[ownPackage];
  if (allowed === undefined || file.endsWith('.test.ts')) return null;
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return null;
  const isNode = specifier.startsWith('node:') || builtinModules.includes(specifier);
  return `${ownPackage} is pure: it imports ${allowed.join(' and ')} only${isNode ? ', nothing of Node' : ''}`;
}

function judgeComputed(file: string): string | null {
  if (file.startsWith('test/') || file in computedImports) return null;
  return 'an import with a computed target cannot be checked';
}

/** `packages/core/src/x.ts` is in `packages/core`, `api/src/x.ts` in `api`; null is outside every package. */
function packageOfFile(file: string): Package | null {
  const [top, second] = file.split('/');
  const ownPackage = top === 'packages' ? `packages/${second}` : top;
  if (ownPackage === undefined || ownPackage.startsWith('.')) return null;
  // A package without a rule may import nothing.
  return ownPackage in allowedPackages || top === 'packages' ? ownPackage : null;
}

function packageOfSpecifier(specifier: string): Package | null {
  const name = /^@outdial\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return null;
  return name in allowedPackages ? name : `packages/${name}`;
}
