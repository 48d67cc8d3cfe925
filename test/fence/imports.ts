import { parseSync, Visitor } from 'oxc-parser';

/** A reference of a file to another module. `specifier` is null if it is computed at run time. */
export interface FoundImport {
  specifier: string | null;
  line: number;
}

/** Finds all references of a TypeScript or JavaScript file to other modules in its syntax tree. */
export function findImports(fileName: string, source: string): FoundImport[] {
  const { program, errors } = parseSync(fileName, source);
  if (errors[0]) throw new UnreadableSourceError(fileName, errors[0].message);

  const found: FoundImport[] = [];
  const add = (node: { type: string; value?: unknown; start: number }) => {
    const specifier = node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
    found.push({ specifier, line: lineAt(source, node.start) });
  };

  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source);
    },
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      const argument = node.arguments[0];
      if (argument && isModuleLoader(node.callee)) add(argument);
    },
  }).visit(program);
  return found;
}

/** `require(…)`, `require.resolve(…)` and `import.meta.resolve(…)` reach other modules without an import. */
function isModuleLoader(callee: { type: string }): boolean {
  const text = JSON.stringify(callee, (key, value: unknown) =>
    key === 'start' || key === 'end' || key === 'range' ? undefined : value,
  );
  if (callee.type === 'Identifier') return text.includes('"name":"require"');
  if (callee.type !== 'MemberExpression') return false;
  return (
    text.includes('"name":"resolve"') && (text.includes('"name":"require"') || text.includes('MetaProperty'))
  );
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

class UnreadableSourceError extends Error {
  readonly code = 'unreadable_source';

  constructor(fileName: string, reason: string) {
    super(`${fileName} could not be parsed: ${reason}`);
    this.name = 'UnreadableSourceError';
  }
}
