import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix, sep } from 'node:path';
import { findImports } from './imports.ts';
import type { Room } from './rules.ts';
import { adapterRoom, allowedOutside, allowedRooms, computedImports, mayImport } from './rules.ts';

interface Violation {
  file: string;
  line: number;
  specifier: string;
  reason: string;
}

export interface FenceReport {
  /** Files read in each room, so that a fence that reads nothing cannot pass for a clean one. */
  filesByRoom: ReadonlyMap<Room, number>;
  violations: readonly Violation[];
}

/** Reads every source of the workspace at `root` and reports each import that the rules forbid. */
export function checkFence(root: string): FenceReport {
  const filesByRoom = new Map<Room, number>();
  const violations: Violation[] = [];
  const files = globSync('{api,scheduler,worker,db,test,packages}/**/*.{ts,mts,cts,js,mjs,cjs}', {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  });
  for (const path of files.toSorted()) {
    const file = path.split(sep).join('/');
    const room = roomOf(file);
    if (room === null) continue;
    filesByRoom.set(room, (filesByRoom.get(room) ?? 0) + 1);
    for (const { specifier, line } of findImports(file, readFileSync(join(root, path), 'utf8'))) {
      const reason = specifier === null ? judgeComputed(file) : judge(file, room, specifier);
      if (reason !== null) violations.push({ file, line, specifier: specifier ?? '(computed)', reason });
    }
  }
  return { filesByRoom, violations };
}

function judge(file: string, room: Room, specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const target = posix.normalize(posix.join(posix.dirname(file), specifier));
    const targetRoom = roomOf(target);
    if (targetRoom === room) return null;
    if (room === 'test') return null;
    const where = targetRoom ?? 'outside every room';
    return `${room} reaches into ${where} by a path; rooms meet by package name only`;
  }
  const targetRoom = roomOfPackage(specifier);
  if (targetRoom === null) return judgeOutside(file, room, specifier);
  if (!mayImport(room, targetRoom)) return `${room} may not import ${targetRoom}`;
  const isMain = posix.basename(file) === 'main.ts';
  if (targetRoom === adapterRoom && room !== adapterRoom && room !== 'test' && !isMain) {
    return `only a main.ts imports ${adapterRoom}: it alone decides which adapters are built`;
  }
  return null;
}

function judgeOutside(file: string, room: Room, specifier: string): string | null {
  const allowed = allowedOutside[room];
  if (allowed === undefined || file.endsWith('.test.ts')) return null;
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return null;
  const isNode = specifier.startsWith('node:') || builtinModules.includes(specifier);
  return `${room} is pure: it imports ${allowed.join(' and ')} only${isNode ? ', nothing of Node' : ''}`;
}

function judgeComputed(file: string): string | null {
  if (file.startsWith('test/') || file in computedImports) return null;
  return 'an import whose target is known only when it runs cannot be checked';
}

/** `packages/core/src/x.ts` is in `packages/core`, `api/src/x.ts` in `api`; null is outside every room. */
function roomOf(file: string): Room | null {
  const [top, second] = file.split('/');
  const room = top === 'packages' ? `packages/${second}` : top;
  if (room === undefined || room.startsWith('.')) return null;
  // A package that the rules do not name is still a room: it may import nothing until it is given a place.
  return room in allowedRooms || top === 'packages' ? room : null;
}

function roomOfPackage(specifier: string): Room | null {
  const name = /^@outdial\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return null;
  return name in allowedRooms ? name : `packages/${name}`;
}
