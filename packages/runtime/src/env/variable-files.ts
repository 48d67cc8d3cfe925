import { readFileSync } from 'node:fs';
import type { EnvFragment } from './fragment.ts';
import { EnvError } from './load-env.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const suffix = '_FILE';
/** Secrets of further providers, whose names their rows choose, and of endpoints, which the operator names. */
const furtherSecrets = /^(ASTERISK|GATEWAY|TWILIO)_|^VOICE_ENDPOINT_[A-Z0-9_]+_KEY$/;
/** Secrets are short; a longer file is the wrong one. */
const maxBytes = 65_536;

/**
 * The environment, with `NAME` read from the file that `NAME_FILE` names. Docker and Kubernetes hand out secrets as files, which
 * stay out of `docker inspect` and out of the environment of child processes. Trailing line ends are dropped.
 * @param parts what reads the variables that may be given so
 * @throws EnvError where a file cannot be read, or both are set; never with the file's text.
 */
export function readVariableFiles(
  source: Environment,
  parts: ReadonlyArray<EnvFragment<unknown>>,
): Record<string, string | undefined> {
  const known = new Set(parts.flatMap((part) => Object.keys(part.variables)));
  const variables: Record<string, string | undefined> = { ...source };
  const faults: string[] = [];
  for (const [fileVariable, path] of Object.entries(source)) {
    const name = fileVariable.slice(0, -suffix.length);
    if (!fileVariable.endsWith(suffix) || !isSet(path)) continue;
    if (!known.has(name) && !furtherSecrets.test(name)) continue;
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
