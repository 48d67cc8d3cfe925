import { asksForNoMoreCalls } from './opt-out-words.ts';

/** Classifies the person's words without a model, which would take too long. */

const backChannels = new Set(
  (
    'ok okay yeah yes yep yup right sure mhm mm hmm hm uh huh aha ah oh i see alright fine good great got it go on' +
    ' exactly absolutely definitely indeed true cool nice perfect wow really interesting gotcha mmm' +
    ' ja jaja genau gut klar aha achso verstehe verstanden natürlich stimmt richtig' +
    ' si sí claro vale ajá entiendo perfecto exacto oui bien exactement voilà sim certo entendi isso'
  ).split(' '),
);
const backChannelPhrases =
  /(?<=^| )(?:(?:that's|that is|you're) (?:right|true|good|fine)|of course|i (?:understand|know|hear you|see what you mean)|(?:that )?makes sense|no problem|sounds good|good to know|fair enough|very good|(?:okay|alright) then|alles klar|ich verstehe|ach so|na klar|sehr gut|in ordnung|claro que sí|ya veo|por supuesto|de acuerdo|muy bien|d'accord|je (?:vois|comprends)|bien sûr|tout à fait|très bien|tá bom)(?= |$)/g;

const greetings = new Set(
  (
    'hello hi hey yes yeah hallo ja hola sí si bueno diga allo oui alô oi good morning afternoon evening who is this speaking' +
    " who's there this is"
  ).split(' '),
);

/** No sentence ends with one of these, not even where a recognizer puts a full stop behind it. */
const neverEnds = new Set(
  (
    'and or but because the a an my your his her our their of um uh er erm' +
    ' und oder aber weil der die das ein eine mein y pero porque el la un una mi'
  ).split(' '),
);
/** Few sentences end with one of these. */
const openEnds = new Set(
  (
    'so if when that which who to for with in on at from by is are was' +
    ' hmm well like about near under over until than then also only not very into please' +
    ' wenn dass o que'
  ).split(' '),
);

export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? []
  );
}

/** What a person said of whom no words are known. */
export const untranscribed = '…';

/** "Okay", "uh-huh": the person listens and does not want to speak. */
export function isBackChannel(text: string): boolean {
  if (text === untranscribed) return false;
  const words = wordsOf(wordsOf(text).join(' ').replaceAll(backChannelPhrases, ''));
  return words.every((word) => backChannels.has(word));
}

/** A greeting that people use when they pick up. */
export function isGreeting(text: string): boolean {
  const words = wordsOf(text);
  return words.length <= 6 && words.every((word) => greetings.has(word));
}

/** Said alone or first, these mean that the agent should be silent. */
const stopWords = new RegExp(
  '^(?:(?:oh|okay|ok|hey|hello|yes|please|sorry|look|listen|who is this|no|nein|non|não) )*(?:' +
    "stop|stopp|no|nope|nah|don't|do not|not interested|not now|(?:i'm|i am) (?:not interested|busy|driving|at work|in a meeting)|wait|hold on|hang on" +
    "|(?:one|just a) (?:second|sec|moment|minute)|excuse me|quit|enough|that's enough|shut up|be quiet|go away|leave me alone|hang up|what|who are you" +
    "|(?:i )?(?:can't|cannot|can not) talk|i (?:don't|do not) have (?:the |any )?time|i have no time|(?:you have |you've got )?(?:the )?wrong number" +
    '|call (?:me )?(?:back )?later|let me stop you' +
    '|nein|halt|warten sie|moment|jetzt nicht|(?:ich habe )?(?:gerade |jetzt )?keine zeit|falsch verbunden|hören sie auf|kein interesse|lassen sie mich' +
    '|basta|espere|pare|un momento|ahora no|no puedo|no tengo tiempo|número equivocado|no me interesa|cállese' +
    "|arrêtez|non|attendez|pas (?:maintenant|intéressée?)|je n'ai pas le temps|(?:c'est un )?mauvais numéro|vous vous trompez|ça ne m'intéresse" +
    '|não|chega|agora não|número errado)(?: |$)',
);

/** "Stop", "no, wait": the person does not want to hear more. */
export function asksToStop(text: string): boolean {
  return stopWords.test(wordsOf(text).join(' ')) || asksForNoMoreCalls(text);
}

/** Words for digits, as people say numbers digit by digit or in groups. */
const digitWords = new Set(
  (
    'zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen' +
    ' twenty thirty forty fifty sixty seventy eighty ninety hundred double triple' +
    ' null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf' +
    ' cero uno dos tres cuatro cinco seis siete ocho nueve diez' +
    ' zéro un deux trois quatre cinq sept huit neuf dix' +
    ' um dois três quatro oito nove dez'
  ).split(' '),
);

/** What the agent asks for if the answer is said in groups, with pauses between them. */
const asksForGroups =
  /\b(number|digits?|code|zip|postcode|card|account|iban|spell|letters|nummer|ziffern|buchstabieren|número|código|deletree|numéro|chiffres|épeler|soletrar)\b/iu;

/** Phrases that begin something. Nobody ends with them, not even where a recognizer puts a full stop behind them. */
const beginnings =
  /(^|\bplease |\bno )(do not|don't|never)( ever)?$|\b((my|the) (number|name|address|code|e-?mail|birthday) is|it's|i'd like|i would like|i want|can you|could you|would you|i'm|ich möchte|ich hätte gern|quiero|quisiera|je voudrais|j'aimerais|eu queria)$/u;
/** The same without a full stop. */
const openBeginnings =
  /\b(i mean|you know|let me (see|think|check|look)|hold on|one moment|i need|i think|moment|ich glaube|ich meine|(want|wanted|like|need|have|going|trying|able) to \S+)$/u;

const isDigits = (word: string) => /^\p{N}+$/u.test(word) || digitWords.has(word);
const isLetter = (word: string) => /^\p{L}$/u.test(word);

/** A number or a spelling that may go on: groups of digits or letters at the end of what was said. */
function endsInGroup(words: readonly string[], asked: string): boolean {
  const last = words.at(-1);
  if (last === undefined) return false;
  const [before = ''] = words.slice(-2, -1);
  const isSpelled = isLetter(last) && isLetter(before);
  const isNumber = isDigits(last) && (isDigits(before) || words.every(isDigits));
  const isPart = isLetter(last) || isDigits(last);
  if (asksForGroups.test(asked)) return isPart;
  const digits = words.filter(isDigits).join('').length;
  return isSpelled || (isNumber && (words.length >= 2 || digits >= 3));
}

/**
 * What was said may go on: it ends in a comma, a dash, a word that cannot end a sentence, or a part of a number, a spelling or what the agent asked for.
 * @param asked what the agent said before
 */
export function isUnfinished(text: string, asked = ''): boolean {
  const trimmed = text.trim();
  if (/[,:;–—-]$/.test(trimmed) || /(\.\.\.|…)$/.test(trimmed)) return true;
  const words = wordsOf(trimmed);
  const last = words.at(-1);
  if (last === undefined || /[!?]$/.test(trimmed)) return false;
  const plain = words.join(' ');
  if (neverEnds.has(last) || beginnings.test(plain)) return true;
  // Recognizers end each group of a number, and each part of an address, like a sentence.
  if (lacksPart({ words, text: trimmed, asked }, isDigits) ?? endsInGroup(words, asked)) return true;
  // The recognizer's punctuation tells more than the last word.
  if (trimmed.endsWith('.')) return false;
  return openEnds.has(last) || openBeginnings.test(plain);
}

/** What was said ends like a sentence, by the recognizer's punctuation, and nothing says that it goes on. */
export const isSentence = (text: string, asked = ''): boolean =>
  /[.!?]$/.test(text.trim()) && !isUnfinished(text, asked);

/** The same words, whatever their punctuation. */
export const isSameSpeech = (one: string, other: string): boolean =>
  wordsOf(one).join(' ') === wordsOf(other).join(' ');

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
function lacksPart(
  { words, text, asked }: { words: readonly string[]; text: string; asked: string },
  isNumber: (word: string) => boolean,
): boolean | null {
  const question = inParts.find(({ asks }) => asks.test(asked));
  if (question === undefined) return null;
  if (words.length > wordsAtMost || asides.test(words.join(' '))) return false;
  return question.mayGoOn(words, text, isNumber);
}
