const stops =
  '(?:(?<!\\b(?:i|we|they|he|she|it|who|people|you) )\\b(?:do not|never|stop|quit|cease|discontinue)|\\b(?:can|could|would|will) you (?:not|never|stop|quit)|^not)(?: you)?(?: ever)?';
const calls = '(?:(?:call|phone|ring|contact|dial|bother|harass|pester|spam)(?:ing)?|phoning)';
const whom =
  '(?:me|us|here|(?:my|this|that|our) (?:phone|number|phone number|house|home|line)|(?:at|on) (?:this|my) (?:number|phone|line))';
const atAll =
  "(?:again|any ?more|no more|any longer|ever|at all|now|back|okay|ok|alright|right|thanks|thank you|bye|goodbye|man|dude|sir|ma'am|asshole|you [a-z]+)";
/** What may follow a request in the other languages. */
const deAtAll = '(?: (?:mehr|wieder|an|hier|jetzt|danke|nie|bei mir|bei uns|(?:unter|auf) dieser nummer))*$';
const esAtAll =
  '(?: (?:más|nunca|jamás|otra vez|de nuevo|aquí|gracias|a (?:este|mi) (?:número|teléfono)|de ustedes))*$';
const frAtAll = '(?: (?:plus|jamais|du tout|ici|merci|(?:à |sur )?(?:ce|mon) (?:numéro|téléphone)))*$';
const ptAtAll =
  '(?: (?:mais|nunca|jamais|de novo|aqui|obrigado|obrigada|(?:para|pra) (?:mim|este número)))*$';

/** What people say who want no more calls, without a condition. In lower case, with straight apostrophes, `do not` for `don't`, and without `please` and hyphens. */
const requests: readonly RegExp[] = [
  // English
  new RegExp(`${stops} ${calls}(?: ${whom})+(?: ${atAll})*$`),
  new RegExp(`${stops} ${calls}(?: ${atAll})+$`),
  /\b(stop|quit|cease|discontinue) (calling|phoning|ringing|contacting|dialing)$|^(just )?(do not|never) (call|phone)$/,
  new RegExp(
    `\\b(told|asked|ask|tell|telling|asking) you( people| guys)? not to( ever)? ${calls}( ${whom})*( ${atAll})*$`,
  ),
  new RegExp(`\\b(stop|end|cease|quit)( all| the| these| those| your)+ (phone )?calls( ${atAll})*$`),
  /\b(take|get|remove|delete|erase|strike|scratch|have) (me|us|my (phone |cell )?(number|name)|this (phone )?number) (taken |removed )?(off$|(off|from|out of)( [a-z]+){1,5} (lists?|database|system|records?|files?|calls|books?|register|registry)\b)/,
  /\b(like|want|need|wish|ask|asking|get|be) (to (be|get) )?(off|(taken|removed|deleted) (off|from|out of)) (of )?(your|this|that|the) ([a-z]+ )?(list|lists|database|system)\b/,
  /\b(remove|delete) (me|us)$|\b(like|want|need|wish|ask|asking) to be removed$/,
  /\b(remove|delete|lose|forget|scratch) (my|this) (phone |cell )?number\b/,
  /\b(put|place|add) (me|us|my number|this number) (on|to) ((your|the|a|that) )?(internal |national )?(do not|no) call\b/,
  /\b(i'm|i am|we're|we are|number is) on (the|a|your) (national )?(do not|no) call (list|registry|register)\b/,
  new RegExp(
    `(?<!\\b(?:had|get|got|received|were|are) )\\b(no|any) more (phone )?calls( from you)*( ${atAll})*$`,
  ),
  new RegExp(`\\bno calls( from you)*( any ?more| ever| again)+$`),
  new RegExp(
    `\\bdo not (want|wish)( to (get|receive))?( any| more| your| these)* (phone )?calls( from you)*( ${atAll})*$`,
  ),
  new RegExp(
    `\\bdo not (want|wish|like) ((you|anyone) (to )?(call|contact)(ing)?|to be (called|contacted))( ${whom}| by you)*( ${atAll})*$`,
  ),
  /\b(never|do not( ever)?) (ever )?want to hear from you( people| guys)?( again| any ?more| ever)+$/,
  /\bopt(ing)? (me |us )?out\b|\bunsubscribe\b/,
  // German
  new RegExp(
    `\\b(ruf(en|t)?|riefen|kontaktier(en|t)?)( sie)?( mich| uns| hier| diese nummer)*( nie| nicht| niemals)( wieder| mehr)+${deAtAll}`,
  ),
  /\b(nicht|nie|niemals)( mehr| wieder)+ (an(ge)?rufen|anruft|kontaktier(t|en))\b|\bkeine (weiteren )?anrufe( mehr)?\b(?! vor| am| nach| bis)/,
  /\bhör(t|en sie)? auf (mich |uns |hier |diese nummer )?(dauernd |ständig )?anzurufen\b/,
  /\b(streichen|löschen|nehmen|entfernen) sie (mich|uns|meine (telefon)?nummer|diese nummer)( (aus|von) |$)/,
  // Spanish
  new RegExp(
    `\\b(no|nunca|jamás)( más)?( me| nos)? (llame[ns]?|marque[ns]?|contacte[ns]?|moleste[ns]?|vuelva[ns]? a (llamar|contactar|molestar)(me|nos)?)${esAtAll}`,
  ),
  new RegExp(
    `\\bno (quiero|deseo) que (me|nos) (llame[ns]?|contacte[ns]?|vuelva[ns]? a (llamar|contactar))${esAtAll}`,
  ),
  /\b(dejen?|deja|paren?) de (llamar(me|nos)?|molestar(me|nos)?)\b/,
  /\b(qu[ií]ten?|quita|b[oó]rren?|elim[ií]nen?|s[aá]quen?)(me|nos)? (mi (número|teléfono) |nuestro número )?de (su|la|esa|esta) lista\b|\b(borren?|eliminen?|quiten?) (mi|este) (número|teléfono)\b/,
  new RegExp(`\\bno (quiero|deseo)( recibir)?( más| sus)* llamadas${esAtAll}`),
  // French
  new RegExp(
    `(?<!\\b(?:il|elle|on|je|nous|ils|elles) )\\b(ne |n')(m'|me |nous )?(appelez|appelle|rappelez|contactez|téléphonez|dérangez) (plus|pas|jamais)${frAtAll}`,
  ),
  /\b(arrêtez|arrête|cessez) (d'|de (m'|nous |me )?)(appeler|rappeler|téléphoner|contacter|harceler|déranger)\b/,
  /\b(retirez|enlevez|supprimez|effacez|rayez) (moi|nous|mon numéro|ce numéro)\b/,
  new RegExp(
    `\\bje ne (veux|souhaite|désire) (plus|pas) (être (r?appelée?|contactée?)|(recevoir )?d'appels?|que vous (m'|nous )(r?appeliez|contactiez))${frAtAll}`,
  ),
  /\b(plus d'appels|plus jamais (m')?appeler)\b/,
  // Portuguese
  new RegExp(
    `\\b(não|nunca)( mais)?( me| nos)? (ligue|liguem|telefone|telefonem|contate|contatem)${ptAtAll}`,
  ),
  new RegExp(`\\bnão quero( mais| receber| suas)* (ligações|chamadas|telefonemas)${ptAtAll}`),
  /\b(pare|parem) de (me |nos )?(ligar|telefonar)\b/,
  /\b(tire|tirem|remova|removam|apague|apaguem) (meu (número|nome)|este número|me)\b|\bme (tire|tirem|remova|removam) (da|dessa|desta|de sua) lista\b/,
];

/** Said in the middle of a request, they change nothing. */
const courtesies = / ?\b(?:please|bitte|por favor|s'il vous plaît|s'il te plaît)(?![\p{L}\p{N}])/gu;

/** Begins only where a run of marks does, so that a text of marks takes linear time. */
const trailingMarks = /(?<![^\p{L}\p{N}'])[^\p{L}\p{N}']+$/u;

/** A clause ends where a condition may begin. */
const clauseEnd =
  /[.!?;,:…\n]+|\s[-–—]\s|\s+(?:and|but|or|because|so|und|aber|oder|weil|y|pero|porque|et|e|mas)(?=\s)|(?<!\b(?:quero|receber|nunca|não))\s+mais(?=\s)/u;

/** Whether the person asks not to be called any more. Only for clear requests: what has a condition ("not before nine", "not at work") is left to the agent's model. */
export function asksForNoMoreCalls(text: string): boolean {
  const plain = text
    .toLowerCase()
    .replaceAll(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .replaceAll(/\bdon'?t\b/g, 'do not')
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replaceAll(courtesies, '')
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
