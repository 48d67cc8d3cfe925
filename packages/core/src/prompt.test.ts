import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderedCharactersAtMost, renderPrompt, singleBracedNames } from './prompt.ts';

describe('renderPrompt', () => {
  test.each([
    ['Hello {{name}}.', 'Hello Ada.'],
    ['Hello {{ name }}, {{\tname\n}}.', 'Hello Ada, Ada.'],
    ['{{first name}}', 'Ada L'],
    ['{{{name}}}', '{Ada}'],
    ['{{empty}}|', '|'],
    ['$& {{cash}}', '$& $1 $&'],
    ['{name} {{}} {{ }} {{name', '{name} {{}} {{ }} {{name'],
  ])('renders %j', (template, text) => {
    const params = { name: 'Ada', 'first name': 'Ada L', empty: '', cash: '$1 $&' };
    expect(renderPrompt(template, params)).toEqual({ text, missing: [] });
  });

  test('leaves placeholders without a value as they are and names each once', () => {
    expect(renderPrompt('{{b}} {{ a }} {{b}} {{c}}', { c: 'x' })).toEqual({
      text: '{{b}} {{ a }} {{b}} x',
      missing: ['b', 'a'],
    });
  });

  test('does not expand values', () => {
    expect(renderPrompt('{{a}}', { a: '{{b}}', b: 'secret' })).toEqual({ text: '{{b}}', missing: [] });
    expect(renderPrompt('{{a}}{{b}}', { a: '{', b: '{a}}' }).text).toBe('{{a}}');
  });

  test('takes own properties only', () => {
    expect(renderPrompt('{{constructor}} {{__proto__}} {{toString}}', {}).missing).toEqual([
      'constructor',
      '__proto__',
      'toString',
    ]);
  });

  test('stays within its limit, even if a long value is used repeatedly', () => {
    const template = '{{a}}'.repeat(13_000);
    const { text, missing } = renderPrompt(template, { a: 'x'.repeat(65_000) });
    expect(text.length).toBeLessThanOrEqual(renderedCharactersAtMost);
    expect(text).toMatch(/^x+(\{\{a\}\})+$/);
    expect(missing).toEqual(['a']);
  });

  test('does not change a text without placeholders, and takes linear time on a text of braces', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{{')),
        (text) => {
          expect(renderPrompt(text, { a: 'b' })).toEqual({ text, missing: [] });
        },
      ),
    );
    const braces = '{{a '.repeat(200_000);
    expect(renderPrompt(braces, {}).text).toBe(braces);
  });
});

describe('singleBracedNames', () => {
  test.each<[string, string[]]>([
    ['Hello {name}, and {name} again.', ['name']],
    ['{ first_name }{größe}{order.id}', ['first_name', 'größe', 'order.id']],
    ['Hello {{name}} and {{ name }}.', []],
    ['{{{name}}} {{name} {name}}', []],
    ['Answer {"name": "Ada"}, {}, {1}, { }, {two words}, {', []],
  ])('finds in %j what was probably meant as a placeholder', (prompt, names) => {
    expect(singleBracedNames(prompt)).toEqual(names);
  });

  test('scans a long text once, and names at most twenty', () => {
    expect(singleBracedNames('{'.repeat(100_000))).toEqual([]);
    const many = Array.from({ length: 50 }, (_, n) => `{n${n}}`).join('');
    expect(singleBracedNames(many)).toHaveLength(20);
  });
});
