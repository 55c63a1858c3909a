import { Anchor, Group } from "@mantine/core";
import { useLanguage } from "../../messages/language";

/** The other language, on the pages outside of the frame that has a menu for it. */
export function LanguageLink() {
  const { language, speak } = useLanguage();
  return (
    <Group justify="center">
      <Anchor
        component="button"
        type="button"
        size="sm"
        lang={language === "zh" ? "en" : "zh-Hans"}
        onClick={() => speak(language === "zh" ? "en" : "zh")}
      >
        {language === "zh" ? "English" : "中文"}
      </Anchor>
    </Group>
  );
}
