import { readFileSync } from 'node:fs';
import type { EnvFragment } from './fragment.ts';
import { EnvError } from './load-env.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const suffix = '_FILE';
/** Secrets are short, so a longer file is the wrong one. */
const maxBytes = 65_536;

/**
 * Adds `NAME` from the file that `NAME_FILE` names, without trailing line ends. Docker and Kubernetes mount secrets as files, which do not
 * appear in `docker inspect` or in the environment of child processes.
 * @param parts the fragments whose variables may come from files
 * @throws EnvError if a file cannot be read or both variables are set; never with the text of a file
 */
export function readVariableFiles(
  source: Environment,
  parts: ReadonlyArray<EnvFragment<unknown>>,
): Record<string, string | undefined> {
  const known = new Set(parts.flatMap((part) => Object.keys(part.variables)));
  const mayComeFromFile = (name: string) =>
    known.has(name) || parts.some(({ furtherSecrets }) => furtherSecrets?.test(name));
  const variables: Record<string, string | undefined> = { ...source };
  const faults: string[] = [];
  for (const [fileVariable, path] of Object.entries(source)) {
    const name = fileVariable.slice(0, -suffix.length);
    if (!fileVariable.endsWith(suffix) || !isSet(path) || !mayComeFromFile(name)) continue;
    if (isSet(source[name])) {
      faults.push(`${fileVariable}: is set, and so is ${name}`);
      continue;
    }
    const read = readShortFile(path.trim());
    if ('fault' in read) faults.push(`${fileVariable}: ${read.fault}`);
    else variables[name] = read.text;
  }
  if (faults.length > 0) throw new EnvError(faults);
  return variables;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function readShortFile(path: string): { text: string } | { fault: string } {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > maxBytes) return { fault: 'names a file that is too large for a value' };
    if (text.trim() === '') return { fault: 'names a file that is empty' };
    return { text: text.replace(/[\r\n]+$/, '') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { fault: `names a file that cannot be read (${code})` };
  }
}
