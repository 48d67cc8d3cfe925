import { describe, expect, test } from 'vitest';
import { asksForNoMoreCalls } from './opt-out-words.ts';

describe('a person who says this wants no more calls', () => {
  test.each([
    'do not call me again',
    'Do not call me again.',
    "Don't call me anymore!",
    'Please don’t ever call here again, okay?',
    'Stop calling me.',
    'stop calling',
    'Would you please stop calling this number?',
    'Never call me again, thank you.',
    'Do not call.  Do not call me.',
    'No. I said no. Quit calling me and go away.',
    'Take me off your list.',
    'I want you to remove my number from your system.',
    'Put me on your do not call list, please',
    'I do not want any more calls.',
    "I don't want to receive these calls",
    "I don't want you to call me again.",
    'I do not want to be called again',
    'No more calls, please.',
    'Lose my number.',
    'I would like to opt out.',
    'Rufen Sie mich nicht mehr an.',
    'Bitte rufen Sie hier nie wieder an!',
    'Ich möchte nicht mehr angerufen werden.',
    'Hören Sie auf, mich anzurufen.',
    'Streichen Sie mich von der Liste.',
    'No me llame más.',
    'Deje de llamarme, por favor.',
    'Quíteme de su lista.',
    'Ne m’appelez plus.',
    'Arrêtez de m’appeler !',
    'Retirez mon numéro.',
    'Não me ligue mais.',
    'Pare de me ligar.',
  ])('%s', (text) => expect(asksForNoMoreCalls(text)).toBe(true));
});

test.each([
  ['I do not want', ' any more', ' tea'],
  ['no me llame', ' nunca más', ' tarde'],
  ['stop calling', ' me', ' tea'],
  ['do not call me', ' again', ' tea'],
  ['rufen sie mich nicht', ' mehr', ' tee'],
  ['ne m’appelez pas', ' du tout', ' tard'],
  ['não me ligue', ' mais', ' tarde'],
  ['', '@', 'a'],
  ['', ' -', 'a'],
])('words repeated without end keep nobody waiting: %s%s', (begin, again, end) => {
  const answers = [1, 30, 10_000].map((times) => asksForNoMoreCalls(begin + again.repeat(times) + end));
  expect(answers).toEqual(Array(3).fill(answers[0]));
});

describe('what has a condition, or means something else, is left to the model', () => {
  test.each([
    '',
    'Stop.',
    'No, thank you.',
    'Please call me again tomorrow.',
    "Don't call me before nine.",
    'Do not call me at work again.',
    'Do not call me on Sundays.',
    "Don't call me a liar.",
    'They never call me.',
    'You never call me.',
    'Why did you call me again?',
    'Can you call me back?',
    'I do not want to stop.',
    'Have you had no more calls from the shop about it?',
    'Rufen Sie mich bitte morgen wieder an.',
    'Rufen Sie mich nicht vor neun an.',
    'Llámeme más tarde.',
    'Rappelez-moi plus tard.',
    'Ligue mais tarde.',
  ])('%s', (text) => expect(asksForNoMoreCalls(text)).toBe(false));
});
