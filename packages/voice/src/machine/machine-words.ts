/** Phrases of mailboxes that people do not use, in English, German, Spanish, French and Portuguese. */
const ofMailboxes = [
  /\b(leave|record)\b.{0,30}\b(message|name and number)\b/,
  /\b(after|at) the (tone|beep|signal)\b/,
  /\bvoice ?mail\b|\bmailbox\b|\banswering machine\b/,
  /\b(you have|you've) reached\b/,
  /\b(is|am|are) (currently |presently )?(not available|unavailable)\b/,
  /\b(can't|cannot|can not|unable to|not able to) (come to the phone|take your call|answer (the phone|your call|right now|at the moment))\b|\bsorry (i|we) missed your call\b/,
  /\b(customer|subscriber|person|party) you\b.{0,60}\b(cannot|can't|can not) be reached\b/,
  /\bat the tone\b|\bforwarded to\b/,
  /\bnach dem (signalton|piepton|ton|piep)\b|\banrufbeantworter\b|\bmailbox\b|\bhinterlassen sie\b/,
  /\bnicht erreichbar\b/,
  /\bdespués (de la señal|del tono)\b|\bdeje (su|un) mensaje\b|\bbuzón de voz\b|\b(cliente|usuario|abonado)\b.{0,40}\bno está disponible\b/,
  /\baprès le (bip|signal)\b|\blaissez? (un|votre) message\b|\bmessagerie\b|\b(correspondant|abonné)\b.{0,60}\bn'est pas (joignable|disponible)\b|\brépondeur\b/,
  /\bapós o (sinal|bipe)\b|\bdeixe (sua|a sua|uma) mensagem\b|\bcaixa postal\b|\b(cliente|número)\b.{0,40}\bnão pode atender\b/,
] as const;

/** A person who answers for somebody else may use such phrases too. */
const ofPeople =
  /\b(can|may|could|shall) i (take|give|tell|help|ask)\b|\b(can|could) you (call|leave|try)\b|\b(would|do) you (like|want|wish) (me )?to\b/;

/** Phrases of call screening assistants. */
const ofScreening = [
  /\b(who|whose) (is|'s) calling\b.*\b(why|reason|about)\b/,
  /\b(say|state|record|tell me) (your|the) name\b.*\b(why|reason|calling about|purpose)\b/,
  /\b(say|state|record) (your|the) name\b.{0,60}\b(connect you|reach|put you through)\b/,
  /\b(screening|screens) (service|calls|assistant|this call)\b|\bcall assistant\b|\bcall screening\b/,
  /\bbixby\b|\btext call\b|\bcall assist\b/,
  /\b(automated|automatic|virtual|digital|artificial|ai)\b.{0,20}\b(voice|assistant)\b.*\b(why|reason|purpose|name|calling)\b/,
  /\b(say|state|tell|give|share)\b.{0,40}\b(why you are calling|why you're calling|(reason|purpose) (for|of) (your|the|this) call)\b/,
  /\bsee if (this person|they|the person|he|she) (is|are) available\b/,
  /\bgoogle\b.{0,40}\bassistant\b/,
  /\bnennen sie (ihren|den) namen\b.*\b(grund|anliegen)\b/,
] as const;

/** Announcements of networks about numbers that nobody has. */
const ofUnusedNumbers = [
  /(?<!\b(my|your old|old) )\b(number|line)\b.{0,60}\b(not|no longer) (in service|in use|a working number|working|assigned|valid|connected|recogni[sz]ed)\b/,
  /\bnumber you\b.{0,40}\bdoes not exist\b|\bnumber\b.{0,40}\bis unallocated\b/,
  /\b(number|line)\b.{0,40}\b(has been|is|was) (disconnected|changed|deactivated)\b/,
  /\b(not|no longer) in service\b|\b(cannot|can not|could not) be completed as dialed\b|\bnumber you (have )?dialed is (incorrect|invalid|not recognized)\b/,
  /\bkein anschluss unter dieser nummer\b|\b(ruf)?nummer (ist )?(uns )?(nicht|nicht mehr) (vergeben|bekannt|gültig|geschaltet)\b|\b(gewählte|gerufene|diese) (ruf)?nummer (ist ungültig|existiert nicht)\b/,
  /\b(número|teléfono)\b.{0,40}\b(no existe|no está (en servicio|asignado)|no corresponde|ya no está|não existe|está incorrec?to)/,
  /\bnuméro\b.{0,60}\b(n'est (pas|plus) (attribué|en service|valide)|n'existe)/,
] as const;

/** Of one utterance. Some expressions take time with the square of it. */
const charactersRead = 4_000;

const plain = (text: string) =>
  text.slice(0, charactersRead).toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ');

export const isMailboxText = (text: string): boolean =>
  ofMailboxes.some((words) => words.test(plain(text))) && !ofPeople.test(plain(text));
/** Check this first, because these assistants also mention messages. */
export const isScreeningText = (text: string): boolean =>
  ofScreening.some((words) => words.test(plain(text)));

/** Tells the model that an assistant speaks, because the words alone could be a person's. */
export const forScreening = (text: string): string =>
  `${text}\n(An assistant that screens calls says this. Say in one sentence who is calling and why, and wait: the person may join.)`;

export const isUnusedNumberText = (text: string): boolean =>
  ofUnusedNumbers.some((words) => words.test(plain(text)));
