import type { ConversationStep } from './conversation.ts';

const english = {
  acknowledgement: 'One moment, please.',
  pardon: 'Sorry, could you say that again?',
  apology: 'I am sorry, something is not working here. I have to end this call. Goodbye.',
  farewell: 'I am sorry, I have to end this call now. Goodbye.',
  optedOut: 'I understand. You will get no more calls from us. Goodbye.',
  takesCall: 'Press one or say yes to take the call.',
};

const byLanguage: Readonly<Record<string, typeof english>> = {
  en: english,
  de: {
    acknowledgement: 'Einen Moment, bitte.',
    pardon: 'Entschuldigung, können Sie das noch einmal sagen?',
    apology:
      'Entschuldigung, hier funktioniert gerade etwas nicht. Ich muss das Gespräch beenden. Auf Wiederhören.',
    farewell: 'Es tut mir leid, ich muss das Gespräch jetzt beenden. Auf Wiederhören.',
    optedOut: 'Ich habe verstanden. Wir rufen Sie nicht mehr an. Auf Wiederhören.',
    takesCall: 'Drücken Sie die Eins oder sagen Sie Ja, um das Gespräch zu übernehmen.',
  },
  es: {
    acknowledgement: 'Un momento, por favor.',
    pardon: 'Perdone, ¿puede repetirlo?',
    apology: 'Lo siento, algo no funciona en este momento. Tengo que terminar la llamada. Adiós.',
    farewell: 'Lo siento, ahora tengo que terminar la llamada. Adiós.',
    optedOut: 'Entendido. No recibirá más llamadas nuestras. Adiós.',
    takesCall: 'Pulse el uno o diga sí para atender la llamada.',
  },
  fr: {
    acknowledgement: "Un instant, s'il vous plaît.",
    pardon: 'Pardon, pouvez-vous répéter ?',
    apology: 'Je suis désolé, quelque chose ne fonctionne pas. Je dois mettre fin à cet appel. Au revoir.',
    farewell: 'Je suis désolé, je dois maintenant mettre fin à cet appel. Au revoir.',
    optedOut: "C'est noté. Vous ne recevrez plus d'appels de notre part. Au revoir.",
    takesCall: "Appuyez sur le un ou dites oui pour prendre l'appel.",
  },
  pt: {
    acknowledgement: 'Um momento, por favor.',
    pardon: 'Desculpe, pode repetir?',
    apology: 'Desculpe, algo não está funcionando. Preciso encerrar a ligação. Até logo.',
    farewell: 'Desculpe, preciso encerrar a ligação agora. Até logo.',
    optedOut: 'Entendido. Não vamos mais ligar para você. Até logo.',
    takesCall: 'Pressione um ou diga sim para atender a ligação.',
  },
};

/** Phrases that need no model: when a tool works, a model is slow, says nothing or has failed, the person wants no more calls, or the process ends. They promise no call, because none may follow. English for unknown languages. */
export function phrasesFor(language: string) {
  return byLanguage[language.split('-', 1)[0]?.toLowerCase() ?? 'en'] ?? english;
}

/** Why a call ended whose person wants no more calls. */
export const optedOut = 'opted_out';

/** The whole answer to a person who will not be called again. */
export function* farewellAfterOptOut(language: string): Generator<ConversationStep> {
  yield { kind: 'say', text: phrasesFor(language).optedOut };
  yield { kind: 'end_call', reason: optedOut };
}
