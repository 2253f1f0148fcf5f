/** The exact words that approve a card when typed, by page language, as the server has them; everything else first asks
 * whether to decline. */
const YES: Record<string, string> = {
  en: "yes",
  de: "ja",
  nl: "ja",
  sv: "ja",
  da: "ja",
  nb: "ja",
  fr: "oui",
  es: "sí si",
  it: "sì si",
  pt: "sim",
  el: "ναι",
  ru: "да",
  uk: "так",
  pl: "tak",
  cs: "ano",
  hu: "igen",
  fi: "kyllä",
  tr: "evet",
  he: "כן",
  ar: "نعم",
  fa: "بله",
  hi: "हाँ हां",
  ja: "はい",
  ko: "네 예",
  zh: "是 是的",
};

export function isYes(text: string, language = "en"): boolean {
  const word = text.normalize("NFC").trim().toLowerCase();
  const known = `${YES.en} ${YES[language.split("-")[0]!.toLowerCase()] ?? ""}`;
  return word !== "" && known.split(" ").includes(word);
}
