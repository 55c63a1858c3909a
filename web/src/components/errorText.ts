import { notifications } from "@mantine/notifications";
import { ApiError } from "../api/client";
import { useLanguage } from "../messages/language";

/** An error in words for people: the server's, or that it did not answer. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useLanguage();
  return (error) => (error instanceof ApiError && error.message ? error.message : t("state.noAnswer"));
}

/** Says at the edge of the page that something did not work, for acts without a place of their own to say it. */
export function useReportError(): (error: unknown) => void {
  const { t } = useLanguage();
  const words = useErrorText();
  return (error) => notifications.show({ color: "red", title: t("state.errorTitle"), message: words(error) });
}
