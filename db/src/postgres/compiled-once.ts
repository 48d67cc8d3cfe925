import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Tx } from '../transaction.ts';
import { deferredCompiled, type Later } from './deferred.ts';
import { prepared, runPrepared } from './prepared.ts';

/** Stands for a value of a statement while the statement is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A statement that is compiled once in a process. Building one of a hundred fragments and compiling it costs 80 µs, which is a part of a
 * call's price where it runs for every few calls. `build` gets a placeholder for each name and puts it in as a value; it must not look
 * at it, nor build another statement for other values. Prepared and deferred.
 */
export function compiledOnce<Values extends object, Row>(
  names: ReadonlyArray<keyof Values & string>,
  build: (values: Values) => RawBuilder<Row>,
): (values: Values, tx: Tx) => Promise<Later<Row>> {
  let compiled: CompiledQuery | undefined;
  return async (values, tx) => {
    // It has each name of the values, and stands for their types while the text is made.
    const placeholders = () =>
      Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as unknown as Values;
    compiled ??= build(placeholders()).compile(prepared(tx));
    const byName = new Map<string, unknown>(Object.entries(values));
    const parameters = compiled.parameters.map((one) =>
      one instanceof Placeholder ? byName.get(one.name) : one,
    );
    const query = CompiledQuery.raw(compiled.sql, parameters);
    runPrepared(query);
    return deferredCompiled<Row>(query, tx);
  };
}
