import { isNode, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { z } from 'zod';
import {
  agentVoice,
  faultMessage,
  type KnownEndpoints,
  nearestName,
  readAgentVoice,
} from '@outdial/contracts';
import { losesDigits } from '@outdial/core';
import { CliError, type FileFault } from '../cli-error.ts';
import { agentFile, prompt, skill, type AgentFile } from './agent-file.ts';

/**
 * Reads an agent from YAML, or JSON, which is YAML too.
 * @param endpoints the names of voice endpoints that the environment gives; null if it gives none, and names are not checked
 * @throws CliError with every fault by its line
 */
export function parseAgentFile(
  text: string,
  file: string,
  endpoints: KnownEndpoints | null = null,
): AgentFile & { warnings: string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw faulty(
      file,
      document.errors.map((error) => ({ line: lines.linePos(error.pos[0]).line, message: error.message })),
    );
  }
  requireAllDigits(document, { file, lines });
  const value = valueOf(document, file);
  const parsed = agentFile.safeParse(value, { error: faultMessage });
  if (parsed.success) {
    const voice = readAgentVoice(parsed.data.config, endpoints, { toSave: true });
    if (voice.kind !== 'faulty') {
      const missing = voice.kind === 'voice' ? voice.missing : [];
      const warnings = missing.map(
        ({ path, message }) => `config.${path.join('.')}: ${message}. Until then, calls of this agent wait`,
      );
      return { ...parsed.data, warnings };
    }
    const faults = voice.faults.map(({ path, message }) => ({
      line: lineOf(['config', ...path], document, lines),
      message: `${['config', ...path].join('.')}: ${message}`,
    }));
    throw faulty(file, faults);
  }
  throw faulty(
    file,
    parsed.error.issues.flatMap((issue) => faultsOf(issue, document, lines)),
  );
}

/** Refuses numbers that JSON and doubles do not hold: of an id with 20 digits, only the first 16 would be kept. */
function requireAllDigits(
  document: Document.Parsed,
  { file, lines }: { file: string; lines: LineCounter },
): void {
  const faults: FileFault[] = [];
  visit(document, {
    Scalar(_key, { value, source = '', range }) {
      if (typeof value !== 'number') return;
      const isDecimal = /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(source);
      const isKept = isDecimal ? !losesDigits(source.replace('+', '')) : Number.isSafeInteger(value);
      if (Number.isFinite(value) && isKept) return;
      const message = `${source} is a number that cannot be kept as it is: write it as text, in quotation marks`;
      faults.push({ line: lines.linePos(range?.[0] ?? 0).line, message });
    },
  });
  if (faults.length > 0) throw faulty(file, faults);
}

/** The document as storable data. Aliases could make it infinite, and escapes could produce invalid text. */
function valueOf(document: Document.Parsed, file: string): unknown {
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    throw faulty(file, [{ line: 1, message: error instanceof Error ? error.message : String(error) }]);
  }
  const fault = unstorable(value, 0);
  if (fault !== null) throw faulty(file, [{ line: 1, message: fault }]);
  return value;
}

const depthAtMost = 100;

function unstorable(value: unknown, depth: number): string | null {
  if (depth > depthAtMost) return `the file is nested deeper than ${depthAtMost} levels`;
  if (typeof value === 'string') return isText(value) ? null : 'the file has a character that is not text';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const fault = isText(name) ? unstorable(member, depth + 1) : 'the file has a character that is not text';
    if (fault !== null) return fault;
  }
  return null;
}

/** Postgres cannot store NUL or lone surrogates. */
function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function faultsOf(issue: z.core.$ZodIssue, document: Document.Parsed, lines: LineCounter): FileFault[] {
  const name = issue.path.join('.');
  const at = name === '' ? '' : `${name}: `;
  const line = lineOf(issue.path, document, lines);
  if (issue.path.length > 0 && !document.hasIn(issue.path)) return [{ line, message: `${at}Field required` }];
  if (issue.code !== 'unrecognized_keys') return [{ line, message: at + issue.message }];
  return issue.keys.map((key) => {
    const nearest = nearestName(key, knownKeys(issue.path));
    const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
    return {
      line: lineOf([...issue.path, key], document, lines),
      message: `${at}\`${key}\` is unknown${hint}`,
    };
  });
}

/** The keys that are allowed at a path of the file. */
function knownKeys([list, ...rest]: readonly PropertyKey[]): string[] {
  if (list === 'config') return rest.length === 1 ? Object.keys(agentVoice.shape) : [];
  if (list === 'skills') return Object.keys(skill.shape);
  return Object.keys(list === 'prompts' ? prompt.shape : agentFile.shape);
}

/** The position of the value, or else of its nearest existing parent. */
function lineOf(path: readonly PropertyKey[], document: Document.Parsed, lines: LineCounter): number {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function faulty(file: string, faults: FileFault[]): CliError {
  return new CliError('faulty_file', `${file} has errors`, faults);
}
