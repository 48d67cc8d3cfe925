/** The turns of a transcript, without their times. */
export const linesOf = ({ transcript }: { transcript?: string | null }): string[] =>
  (transcript ?? '').split('\n').map((line) => line.replace(/^\[\d+:\d\d\] /, ''));
