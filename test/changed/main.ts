import { dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestSpecification } from 'vitest/node';
import { changedFiles, exists, readersOf } from './changed-files.ts';
import { testsOf } from './tests-of.ts';

/**
 * `npm run test:changed [-- BASE | FILE …]`: the tests that a change touches. The change is what differs from where this branch left main, or from a
 * commit, or the named files. Of the tests without services: those that import a changed file. Of those with services: changed ones, those beside a
 * changed helper that import it, and those that `tests-of.ts` names.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const words = process.argv.slice(2);
const areFiles = words.length > 0 && words.every((word) => exists(root, word));
const changed = [...new Set(areFiles ? words : changedFiles(root, words[0]))];

const isCode = (file: string) => /\.(ts|tsx|mjs)$/.test(file);
const code = changed.flatMap((file) => (isCode(file) ? [file] : readersOf(root, file)));
const isOfTests = (file: string) =>
  file.startsWith('test/') && (!file.startsWith('test/support/') || file.endsWith('.test.ts'));
const globs = new Set(code.filter((file) => !isOfTests(file)).flatMap(testsOf));
const helperFolders = new Set(code.filter(isOfTests).map((file) => dirname(file)));

// vitest.config.ts leaves out the long files that the command line does not name.
process.argv = [...process.argv.slice(0, 2), 'run', ...code.filter((file) => file.endsWith('.test.ts'))];

const vitest = await createVitest('test', {
  root,
  watch: false,
  passWithNoTests: true,
  related: code.filter((file) => exists(root, file)).map((file) => join(root, file)),
});
try {
  const related = new Set((await vitest.getRelevantTestSpecifications()).map(keyOf));
  const isChosen = (specification: TestSpecification) => {
    const file = relative(root, specification.moduleId);
    // These read all sources.
    if (file.startsWith('test/fence/')) return true;
    const isRelated = related.has(keyOf(specification));
    if (specification.project.name === 'unit') return isRelated;
    if (isRelated && helperFolders.has(dirname(file))) return true;
    return [...globs].some((glob) => matchesGlob(file, glob));
  };
  const chosen = code.length === 0 ? [] : (await vitest.globTestSpecifications()).filter(isChosen);
  await vitest.standalone();
  console.log(`${changed.length} changed files, ${chosen.length} files of tests`);
  if (chosen.length > 0) await vitest.runTestSpecifications(chosen, true);
} finally {
  await vitest.close();
}

function keyOf({ project, moduleId }: TestSpecification): string {
  return `${project.name} ${moduleId}`;
}
