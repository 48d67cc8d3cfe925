import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutPassages } from './cut-passages.ts';

test('short paragraphs are joined, but not across pages', () => {
  const passages = cutPassages(['One.\n\nTwo.', 'Three.']);
  expect(passages.map(({ page, text }) => ({ page, text }))).toEqual([
    { page: 1, text: 'One.\n\nTwo.' },
    { page: 2, text: 'Three.' },
  ]);
});

test('long paragraphs are cut between sentences', () => {
  const sentence = 'This is a sentence of about sixty characters, more or less. ';
  const passages = cutPassages([sentence.repeat(40)]);
  expect(passages.length).toBeGreaterThan(3);
  for (const { text } of passages) expect(text).toMatch(/^This .* less\.$/);
});

test.each([
  ['Customers may return merchandise within thirty days of delivery for a complete refund.', 'english'],
  ['Die Geschäftsführung verschickt Änderungen häufig per Einschreiben an alle Kunden.', 'german'],
  ['Les clients peuvent retourner la marchandise dans les trente jours suivant la livraison.', 'french'],
  [
    'Los clientes pueden devolver la mercancía dentro de los treinta días posteriores a la entrega.',
    'spanish',
  ],
  ['Клиент может вернуть товар в течение тридцати дней после доставки и получить деньги.', 'russian'],
  ['يمكن للعملاء إعادة البضائع خلال ثلاثين يوما من تاريخ التسليم والحصول على المبلغ كاملا.', 'arabic'],
  [
    '客户可以在收到商品后三十天内申请退货，并获得全额退款。原包装必须完好无损，随附的单据必须齐全。',
    'simple',
  ],
])('%s is %s', (text, config) => {
  expect(cutPassages([text])[0]?.searchConfig).toBe(config);
});

test('no text is lost, and no passage is too long', () => {
  const page = fc
    .array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  fc.assert(
    fc.property(fc.array(page, { maxLength: 3 }), (pages) => {
      const passages = cutPassages(pages);
      expect(letters(passages.map(({ text }) => text).join(''))).toBe(letters(pages.join('')));
      for (const { text } of passages) expect(text.length).toBeLessThanOrEqual(1_000);
    }),
  );
});
