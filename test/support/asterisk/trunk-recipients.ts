/** The number of recipients per ending of their number: 200 in all, with every behaviour of the carrier. */
const recipients: Readonly<Record<string, number>> = {
  '00': 88,
  '80': 20,
  '81': 6,
  '86': 8,
  '87': 8,
  '89': 4,
  '90': 8,
  '91': 12,
  '92': 12,
  '93': 10,
  '94': 10,
  '95': 6,
  '96': 8,
};

export const linesAtOnce = 50;

/** One number per recipient, with the two digits that select the carrier's behaviour. */
export function recipientNumbers(): string[] {
  const endings = Object.entries(recipients).flatMap(([ending, count]) =>
    Array.from({ length: count }, () => ending),
  );
  // Conversations first, to fill the lines; then all behaviours mixed, always in the same order.
  const first = linesAtOnce + 10;
  return endings
    .map((ending, at) => ({ ending, place: at < first ? at - first : (at * 83) % endings.length }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ ending }, at) => `+1555${String(10_000 + at)}${ending}`);
}
