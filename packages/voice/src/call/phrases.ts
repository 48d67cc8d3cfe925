const english = {
  acknowledgement: 'One moment, please.',
  apology: 'I am sorry, something is not working here. We will call you again. Goodbye.',
};

const byLanguage: Readonly<Record<string, typeof english>> = {
  en: english,
  de: {
    acknowledgement: 'Einen Moment, bitte.',
    apology: 'Entschuldigung, hier funktioniert gerade etwas nicht. Wir rufen wieder an. Auf Wiederhören.',
  },
  es: {
    acknowledgement: 'Un momento, por favor.',
    apology: 'Lo siento, algo no funciona en este momento. Le volveremos a llamar. Adiós.',
  },
  fr: {
    acknowledgement: "Un instant, s'il vous plaît.",
    apology: 'Je suis désolé, quelque chose ne fonctionne pas. Nous vous rappellerons. Au revoir.',
  },
};

/** Phrases that need no model, for when a tool works or a model has failed. English for unknown languages. */
export function phrasesFor(language: string) {
  return byLanguage[language.split('-', 1)[0]?.toLowerCase() ?? 'en'] ?? english;
}
