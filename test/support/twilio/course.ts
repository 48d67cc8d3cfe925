/** The course of a call, by the last two digits of the number. The same digits as for the simulated carrier, if both have the course. */
export type Course =
  | { kind: 'refused'; status: number; code: number }
  | { kind: 'ends'; status: 'busy' | 'no-answer' | 'failed'; sipCode: number; rings: boolean }
  | {
      kind: 'answers';
      by: 'human' | 'machine_start';
      hangsUp: 'at_the_end' | 'before_long' | 'never';
    };

const busy: Course = { kind: 'ends', status: 'busy', sipCode: 486, rings: false };
const noAnswer: Course = { kind: 'ends', status: 'no-answer', sipCode: 487, rings: true };
const answers: Course = { kind: 'answers', by: 'human', hangsUp: 'at_the_end' };

/** `nth`: the number of calls to the number so far, including this one. */
export function courseOf(toPhone: string, nth: number): Course {
  switch (toPhone.slice(-2)) {
    case '90':
      return { kind: 'answers', by: 'human', hangsUp: 'before_long' };
    case '91':
      return busy;
    case '92':
      return noAnswer;
    case '93':
      return { kind: 'ends', status: 'busy', sipCode: 603, rings: true };
    case '94':
      return { kind: 'answers', by: 'machine_start', hangsUp: 'at_the_end' };
    case '95':
      return { kind: 'ends', status: 'failed', sipCode: 503, rings: false };
    case '96':
      return { kind: 'refused', status: 400, code: 21211 };
    case '97':
      return nth === 1 ? busy : answers;
    case '98':
      return nth <= 2 ? noAnswer : answers;
    case '99':
      return { kind: 'answers', by: 'human', hangsUp: 'never' };
    default:
      return answers;
  }
}
