import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A fenced block of a page, without the indentation of its fence. */
export interface PageBlock {
  page: string;
  /** `docs/voice.md#2`: the second block of commands or TypeScript of that page. */
  id: string;
  language: string;
  text: string;
}

/** The blocks of every page that a reader runs or compiles, in the order of each page. */
export function pageBlocks(): PageBlock[] {
  const pages = globSync(
    ['*.md', 'docs/**/*.md', 'api/**/*.md', 'packages/*/*.md', 'examples/**/*.md', 'ops/**/*.md'],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  );
  return pages.toSorted().flatMap((page) => blocksOf(page, readFileSync(join(root, page), 'utf8')));
}

const runLanguages = ['sh', 'bash', 'shell', 'console', 'ts', 'typescript', 'js', 'python'];

export function blocksOf(page: string, text: string): PageBlock[] {
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```/gm)]
    .map(([, indent = '', language = '', block = '']) => ({
      page,
      language,
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
    .filter(({ language }) => runLanguages.includes(language))
    .map((block, at) => ({ ...block, id: `${page}#${at + 1}` }));
}
