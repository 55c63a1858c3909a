import { notifications } from "@mantine/notifications";
import { useLanguage } from "../messages/language";
import { useErrorText } from "./errorText";

/** Says something at the edge of the page, for what has no place of its own to be said. */
export function useNotify() {
  const { t } = useLanguage();
  const words = useErrorText();
  const closeButtonProps = { "aria-label": t("action.close") };
  return {
    say: (message: string) => notifications.show({ message, closeButtonProps }),
    sayError: (error: unknown) =>
      notifications.show({ color: "red", title: t("state.errorTitle"), message: words(error), closeButtonProps }),
  };
}
