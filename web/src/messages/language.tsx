/** The language the page speaks: the one chosen, or else the browser's. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { remember, remembered } from "../stored";
import { catalogues, type Translate } from "./catalogue";
import { format, type Language, type Values } from "./translate";

const KEY = "pinakes.language";

type Speaking = { language: Language; speak: (language: Language) => void; t: Translate };
const Speech = createContext<Speaking | null>(null);

export function preferredLanguage(): Language {
  const chosen = remembered(KEY);
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferredLanguage);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  }, [language]);
  const speaking = useMemo<Speaking>(
    () => ({
      language,
      speak: (chosen) => {
        remember(KEY, chosen);
        setLanguage(chosen);
      },
      t: (key, ...values) => format(catalogues[language][key], language, values[0] as Values | undefined),
    }),
    [language],
  );
  return <Speech value={speaking}>{children}</Speech>;
}

/** `const { t, language } = useLanguage()` */
export function useLanguage(): Speaking {
  const speaking = useContext(Speech);
  if (!speaking) throw new Error("useLanguage is used outside of LanguageProvider.");
  return speaking;
}
