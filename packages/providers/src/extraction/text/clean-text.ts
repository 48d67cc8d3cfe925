/** Unicode's own limit for streamed text (UAX #15, section 13). No language stacks as many marks. */
const tooManyMarks = /\p{M}(?<=\p{M}{31})/gu;

/** Normalizes extracted text: NFC, `\n` as line end, only valid characters. Typographic ligatures are expanded, so that a search for `office` finds them. */
export function cleanText(text: string): string {
  return (
    unifyRadicals(text)
      .toWellFormed()
      .replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
      .replace(/\v/g, '\n')
      // Presentation forms: Latin and Armenian ligatures, Hebrew and Arabic shapes. Fullwidth forms stay as they are.
      .replace(/[\ufb00-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc]+/g, (shapes) =>
        shapes.normalize('NFKC'),
      )
      // Thai and Lao AM, which many fonts draw as two glyphs, and some producers encode wrongly.
      .replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32| ?\u0e32\u0e33 ?|\u0e33\u0e32/g, '$1\u0e33')
      .replace(/\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g, '$1\u0eb3')
      // Soft hyphens, zero-width spaces, direction marks, byte order marks. Joiners stay, because Persian and Indic scripts need them.
      .replace(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '')
      .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
      // Control characters except tab, line end and form feed; noncharacters.
      // oxlint-disable-next-line no-control-regex -- they are to be removed
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g, '')
      // Matches only at the start of a run of blanks. Otherwise a long run without a line end would take quadratic time.
      .replace(/(?<![ \t])[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      // Normalization takes quadratic time in the number of marks on one letter.
      .replace(tooManyMarks, '')
      .normalize('NFC')
  );
}

/**
 * Fonts draw some characters with the glyph of a radical of the same shape, and a PDF then contains the radical. These are the characters that are meant,
 * from `EquivalentUnifiedIdeograph.txt` of the Unicode Character Database (version 15). A blank means that a radical has no equivalent.
 */
const firstSupplement = 0x2e80;
const supplement =
  ' 厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑𫜹忄心扌攵 旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹' +
  '艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟';

const firstKangxi = 0x2f00;
const kangxi =
  '一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴廾弋弓彐彡彳心戈戶手' +
  '支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳' +
  '聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵邑酉釆里金長門阜隶隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯' +
  '鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠';

const supplementCharacters = Array.from(supplement);
const kangxiCharacters = Array.from(kangxi);

function unifyRadicals(text: string): string {
  // Computed once for a text, however many doors it has.
  let door: string | undefined;
  return text.replace(/[\u2e80-\u2ef3\u2f00-\u2fd5]/g, (radical) => {
    const code = radical.charCodeAt(0);
    const meant =
      code < firstKangxi
        ? supplementCharacters[code - firstSupplement]
        : kangxiCharacters[code - firstKangxi];
    if (code === 0x2f3e) return (door ??= doorOf(text));
    return meant === undefined || meant === ' ' ? radical : meant;
  });
}

/** The radical "door" is the only common one whose character differs by country. */
function doorOf(text: string): string {
  if (/[\u3040-\u30ff]/.test(text)) return '戸';
  return /[这们为个说时来会对请单节开关书东车长门问间]/.test(text) ? '户' : '戶';
}
