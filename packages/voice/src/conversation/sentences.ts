/** A longer sentence is cut at a pause. */
const lettersAtMost = 280;
/** Abbreviations that end with a dot, which the Unicode segmenter does not know. */
const abbreviation =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|approx|e\.g|i\.e|z\.B|ca|bzw)\.\s*$/u;

/** Text that ends a sentence regardless of what follows. */
const ended = /[.!?…]["'”’)\]]*\s+$|[。！？]$|\n$/u;

/** Cuts a text into sentences, and changes nothing else but the spaces between them. */
export function splitSentences(text: string, language: string): string[] {
  const cutter = createCutter(language, (sentence) => sentence.trim());
  return [...cutter.add(text), ...cutter.rest()];
}

/** Cuts a stream of text into sentences, so that each is spoken as soon as it is complete. */
export const sentences = (language: string) => createCutter(language, speakable);

function createCutter(
  language: string,
  cleaned: (text: string) => string,
): { add(text: string): string[]; rest(): string[] } {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  let waiting = '';

  /** Takes complete sentences from the front. */
  const take = (): string[] => {
    const whole: string[] = [];
    let begun = '';
    for (const { segment, index } of segmenter.segment(waiting)) {
      const text = begun + segment;
      const isLast = index + segment.length === waiting.length;
      const isEnded = isLast ? ended.test(text) : true;
      const isWhole = isEnded && /[\p{L}\p{N}]/u.test(text) && !abbreviation.test(text);
      if (isWhole) whole.push(text);
      begun = isWhole ? '' : text;
    }
    while (begun.length > lettersAtMost) {
      const at = pauseIn(begun);
      whole.push(begun.slice(0, at));
      begun = begun.slice(at);
    }
    waiting = begun;
    return whole.map(cleaned).filter((text) => text !== '');
  };

  return {
    add(text) {
      waiting += text;
      return take();
    },
    rest() {
      const left = [...take(), cleaned(waiting)].filter((text) => text !== '');
      waiting = '';
      return left;
    },
  };
}

function pauseIn(text: string): number {
  const head = text.slice(0, lettersAtMost);
  for (const mark of [/[,;:–—、，]\s*(?=[^,;:–—、，]*$)/u, /\s(?=\S*$)/]) {
    const found = mark.exec(head);
    if (found !== null && found.index > lettersAtMost / 4) return found.index + found[0].length;
  }
  return lettersAtMost;
}

/** Removes Markdown and emoji, which a voice would read out. */
function speakable(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`#~|]+/g, ' ')
    .replace(/^\s*[-•]\s+/gm, '')
    .replace(/\p{Extended_Pictographic}\uFE0F?/gu, (sign) => (/\d|[©®™]/.test(sign) ? sign : ''))
    .replace(/\s+/g, ' ')
    .trim();
}
