import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../docs/operations/backup-and-upgrade.md', import.meta.url), 'utf8');
/** A command in a fenced block or in a line. */
const code = page.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g);
const snippets = [...code].map(([, block, span]) => (block ?? span ?? '').trim());

/** The command or statement in the page about backups that has this beginning. */
export function fromPage(beginning: string): string {
  const found = snippets.filter((snippet) => snippet.startsWith(beginning));
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`the page has ${found.length} snippets that begin with ${beginning}`);
  }
  return found[0];
}
