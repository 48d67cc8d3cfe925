import type { Schemas } from '../data/api.ts';

type Condition = Schemas['Receipt']['conditions'][number];

/** The conditions of a dial with one verdict, in the words of the release that judged them. */
export function Conditions({ of, that }: { of: readonly Condition[]; that: Condition['verdict'] }) {
  return (
    <ul>{of.map(({ condition, verdict, text }) => verdict === that && <li key={condition}>{text}</li>)}</ul>
  );
}
