const stops =
  "(?<!\\b(?:i|we|they|he|she|it|who|people|you) )\\b(?:do not|don't|never|stop|quit)(?: you)?(?: ever)?";
const calls = '(?:call|phone|ring|contact|dial|bother)(?:ing)?';
const whom =
  '(?:me|us|here|(?:my|this|that|our) (?:phone|number|phone number|house|home|line)|(?:at|on) (?:this|my) (?:number|phone|line))';
const atAll =
  '(?:again|any ?more|any longer|ever|please|at all|now|back|you people|okay|ok|thanks|thank you|bye|goodbye)';

/** What people say who want no more calls, without a condition. In lower case, with straight apostrophes. */
const requests: readonly RegExp[] = [
  // English
  new RegExp(`${stops} ${calls}( ${whom})+( ${atAll})*$`),
  new RegExp(`${stops} ${calls}( ${atAll})+$`),
  /\b(stop|quit) (calling|phoning|ringing|contacting|dialing)$/,
  /\b(take|get|remove|delete|erase|strike|scratch) (me|us|my (phone |cell )?(number|name)|this (phone )?number) (off|from|out of)\b/,
  /\b(remove|delete|lose|forget) (my|this) (phone |cell )?number\b/,
  /\b(put|place|add) (me|us|my number|this number) (on|to) (your|the|a|that) (internal )?(do not|don't|no) call\b/,
  new RegExp(`\\b(no|any) more (phone )?calls( from you)*( ${atAll})*$`),
  new RegExp(
    `\\b(do not|don't) (want|wish)( to (get|receive))?( any| more| your| these)+ (phone )?calls( from you)*( ${atAll})*$`,
  ),
  new RegExp(
    `\\b(do not|don't) want (you |anyone )?to (be )?(call|contact)(ed)?( ${whom}| by you)*( ${atAll})*$`,
  ),
  /\bopt (me |us )?out\b|\bunsubscribe\b/,
  // German
  /\b(ruf(en|t)?|riefen|kontaktier(en|t)?) (sie )?(mich|uns|hier|diese nummer)?( bitte)?( hier)? ?(nie|nicht)( wieder| mehr)+( an)?\b/,
  /\b(nicht|nie)( mehr| wieder)+ (an(ge)?rufen|anruft|kontaktier(t|en))\b|\bkeine (weiteren )?anrufe( mehr)?\b(?! vor| am| nach| bis)/,
  /\bhören sie auf,? (mich |uns |hier )?(dauernd |ständig )?anzurufen\b/,
  /\b(streichen|löschen|nehmen|entfernen) sie (mich|uns|meine (telefon)?nummer|diese nummer)( bitte)?( (aus|von) |$)/,
  // Spanish
  /\bno (me|nos) (llame|llamen|llames|vuelva a llamar|vuelvan a llamar|vuelvas a llamar|contacte|contacten)( más| nunca| otra vez| de nuevo| por favor| aquí)*$/,
  /\b(deje|dejen|deja) de (llamar(me|nos)?|molestar(me|nos)?)\b/,
  /\b(quíte(n)?|quita|borre(n)?|elimine(n)?|saque(n)?)(me|nos)? (mi (número|teléfono) |nuestro número )?de (su|la|esa) lista\b|\b(borre(n)?|elimine(n)?|quite(n)?) (mi|este) (número|teléfono)\b/,
  /\bno quiero (recibir )?(más|sus) llamadas( más)?$/,
  // French
  /\bne (m'|nous )(appelez|appelle|rappelez|contactez) (plus|pas)( jamais| s'il vous plaît| du tout| ici)*$/,
  /\b(arrêtez|arrête|cessez) de (m'|nous |me )?(appeler|rappeler|contacter|harceler)\b/,
  /\b(retirez|enlevez|supprimez|effacez)(-| )(moi|nous|mon numéro|ce numéro)\b/,
  /\b(plus d'appels|plus jamais (m')?appeler)\b/,
  // Portuguese
  /\bnão (me |nos )?(ligue|liguem|telefone|telefonem|contate|contatem)( para mim| pra mim| aqui)?( mais| nunca| de novo| por favor)*$/,
  /\b(pare|parem) de (me |nos )?(ligar|telefonar)\b/,
  /\b(tire|tirem|remova|removam|apague|apaguem) (meu (número|nome)|este número|me)\b/,
];

/** Begins only where a run of marks does, so that a text of marks takes linear time. */
const trailingMarks = /(?<![^\p{L}\p{N}'])[^\p{L}\p{N}']+$/u;

/** A clause ends where a condition may begin. */
const clauseEnd =
  /[.!?;,:…\n]+|\s[-–—]\s|\s+(?:and|but|or|because|so|please|und|aber|oder|weil|y|pero|porque|et|mais|e|mas)(?=\s)/u;

/**
 * Whether the person asks not to be called any more. Only for clear requests: what has a condition ("not before nine", "not at work") is left to the
 * agent's model.
 */
export function asksForNoMoreCalls(text: string): boolean {
  const plain = text
    .toLowerCase()
    .replaceAll(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .replaceAll(' auf, ', ' auf ');
  const clauses = plain.split(clauseEnd).map((clause) => clause.trim().replace(trailingMarks, ''));
  return clauses.some((clause) => requests.some((request) => request.test(clause)));
}

/** @param disclosure may promise that "stop" is enough */
export function isOptOut(text: string, disclosure: string | null): boolean {
  if (asksForNoMoreCalls(text)) return true;
  return (
    /\bstopp?\b/i.test(disclosure ?? '') &&
    /^\W*(please\W+|bitte\W+)?stopp?(\W+please|\W+now|\W+stopp?)*\W*$/i.test(text)
  );
}
