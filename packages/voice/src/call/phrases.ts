/** What the agent says where no model does: a tool takes its time, or a model has failed. */
export interface Phrases {
  acknowledgement: string;
  apology: string;
}

const english: Phrases = {
  acknowledgement: 'One moment, please.',
  apology: 'I am sorry, something is not working here. We will call you again. Goodbye.',
};

const byLanguage: Readonly<Record<string, Phrases>> = {
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

/** By the first part of a language tag; English where the language is not known. */
export function phrasesFor(language: string): Phrases {
  return byLanguage[language.split('-', 1)[0]?.toLowerCase() ?? 'en'] ?? english;
}
