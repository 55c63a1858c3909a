import { ApiError } from "../api/client";
import { useLanguage } from "../messages/language";

/** An error in words for people: the server's, or that it did not answer. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useLanguage();
  return (error) => (error instanceof ApiError && error.message ? error.message : t("state.noAnswer"));
}
