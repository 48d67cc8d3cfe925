import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Edit } from './mutation.ts';

/** A copy of the sources, whose packages import each other and not the originals. */
export interface CheckoutCopy {
  path: string;
  /** Applies edits, and returns a function that reverts them. @throws EditDoesNotApplyError */
  apply(edits: readonly Edit[]): () => void;
  remove(): void;
}

const folders = [
  'api',
  'worker',
  'scheduler',
  'packages',
  'db',
  'test',
  'package.json',
  'tsconfig.json',
  'tsconfig.base.json',
];

export class EditDoesNotApplyError extends Error {
  readonly code = 'edit_does_not_apply';
}

/**
 * Copies links unchanged. Links from a package's `node_modules` to other packages are relative, so they lead to the copies. External packages are in
 * the root's `node_modules`, to which the copy has a link.
 */
export function copyCheckout(root: string): CheckoutCopy {
  const path = mkdtempSync(join(tmpdir(), 'outdial-mutation-'));
  for (const folder of folders) {
    cpSync(join(root, folder), join(path, folder), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  return {
    path,
    apply(edits) {
      const originals = new Map<string, string>();
      const revert = () => {
        for (const [file, text] of originals) writeFileSync(file, text);
      };
      try {
        for (const edit of edits) applyEdit(join(path, edit.file), edit, originals);
      } catch (error) {
        revert();
        throw error;
      }
      return revert;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function applyEdit(file: string, { file: name, find, replace }: Edit, originals: Map<string, string>): void {
  const text = readFileSync(file, 'utf8');
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new EditDoesNotApplyError(`${name} has ${parts.length - 1} times: ${find.split('\n')[0]}`);
  }
  if (!originals.has(file)) originals.set(file, text);
  writeFileSync(file, parts.join(replace));
}
