import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentences } from './sentences.ts';

const split = (text: string, language = 'en') => {
  const cutter = sentences(language);
  return Array.from(text)
    .flatMap((letter) => cutter.add(letter))
    .concat(cutter.rest());
};

describe('sentences', () => {
  test.each([
    ['Hello there. How are you?', ['Hello there.', 'How are you?']],
    ['It costs 3.50 euros. Fine?', ['It costs 3.50 euros.', 'Fine?']],
    ['Dr. Miller is in. Mr. J. Smith is not.', ['Dr. Miller is in.', 'Mr. J. Smith is not.']],
    ['**Great!** See [our page](https://example.com).', ['Great!', 'See our page.']],
    ['Wait... what? Yes!', ['Wait...', 'what?', 'Yes!']],
    ['- Bread\n- Milk', ['Bread', 'Milk']],
    ['How many? 5. Anything else?', ['How many?', '5.', 'Anything else?']],
    ['Sure 👍 thing.', ['Sure thing.']],
    ['', []],
    ['...', ['...']],
  ])('%j', (text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  test('the first sentence is available before the second one is written', () => {
    const cutter = sentences('en');
    expect(cutter.add('Hello there. ')).toEqual(['Hello there.']);
    expect(cutter.add('How are')).toEqual([]);
    expect(cutter.rest()).toEqual(['How are']);
  });

  test('an endless sentence is cut at a pause, and nothing is lost', () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index},`).join(' ');
    const pieces = split(text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(280);
    expect(pieces.every((piece) => piece.endsWith(','))).toBe(true);
    expect(pieces.join(' ')).toBe(text);
  });

  test('any chunks of text give the same words in the same order', () => {
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}[.,!?]?$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (list, size) => {
        const text = list.join(' ');
        const cutter = sentences('en');
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += size) pieces.push(...cutter.add(text.slice(at, at + size)));
        expect([...pieces, ...cutter.rest()].flatMap(words)).toEqual(words(text));
      }),
    );
  });
});
