/** What the agent asked for, where the answer has parts and people pause between them. */

const streets =
  /^(street|st|road|rd|avenue|ave|lane|drive|boulevard|blvd|court|square|straße|strasse|weg|platz|allee|calle|avenida|rue|rua|\p{L}+(straße|strasse|weg|platz|allee))$/u;
const months =
  /^(january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)$/u;
const ordinals =
  /^(\d{1,2}(st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\p{L}+teenth|twentieth|thirtieth)$/u;
/** "I don't know", "no, thank you", "sure": an answer that does not give what was asked for. */
const asides =
  /^(yes|yeah|yep|sure|okay|ok|no|nope|not|i|i'd|i'm|we|why|what|can|could|sorry|none|never|one moment|ja|nein|ich|warum|sí|no|por|oui|non|je|sim|não)(?!\p{L})/u;
/** No answer in parts is longer. */
const wordsAtMost = 12;
const inParts: ReadonlyArray<{
  asks: RegExp;
  mayGoOn: (words: readonly string[], text: string, isNumber: (word: string) => boolean) => boolean;
}> = [
  {
    asks: /\be-?mail\b|\bcorreo electrónico\b|\bcourriel\b/iu,
    mayGoOn: (words, text) =>
      !/\S@\S+\.\w{2,}|\b(at|arroba|ät)\b.*\b(dot|punkt|punto|point|ponto)\s+\w{2,}/iu.test(
        `${text} ${words.join(' ')}`,
      ),
  },
  {
    asks: /\b(birth|born|birthday|geburtsdatum|geboren|nacimiento|naissance|nascimento)\b/iu,
    mayGoOn(words, _, isNumber) {
      const [before = '', last = ''] = words.slice(-2);
      const isYear = /^(19|20)?\d\d$/.test(last) || (isNumber(before) && isNumber(last));
      return words.some((word) => months.test(word) || ordinals.test(word) || isNumber(word)) && !isYear;
    },
  },
  {
    asks: /\b(address|adresse|anschrift|dirección|endereço|deliver|delivered|ship)\b/iu,
    mayGoOn(words, text, isNumber) {
      if (/\b\d{5}(-\d{4})?\W*$|\b[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}\W*$/iu.test(text)) return false;
      const street = words.findLastIndex((word) => streets.test(word));
      // A town and its state follow the street.
      return street === -1 ? words.some(isNumber) : words.length - street <= 3;
    },
  },
  {
    asks: /\b(day|date|when|tag|datum|wann|día|fecha|cuándo|jour|quand)\b/iu,
    mayGoOn: (words, _, isNumber) =>
      months.test(words.at(-1) ?? '') && !words.some((word) => ordinals.test(word) || isNumber(word)),
  },
];

/** Whether an answer lacks a part of what the agent asked for. Null if it did not ask for anything that has parts. */
export function lacksPart(
  { words, text, asked }: { words: readonly string[]; text: string; asked: string },
  isNumber: (word: string) => boolean,
): boolean | null {
  const question = inParts.find(({ asks }) => asks.test(asked));
  if (question === undefined) return null;
  if (words.length > wordsAtMost || asides.test(words.join(' '))) return false;
  return question.mayGoOn(words, text, isNumber);
}
