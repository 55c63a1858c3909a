import { PasswordException } from "pdfjs-dist";
import { ApiError } from "../../api/client";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";
import { Replaced } from "./pdfOriginal";

/** Why a PDF is not shown, in words that say what to do instead. */
export function PdfTrouble({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useLanguage();
  if (error instanceof ApiError || error instanceof TypeError) return <ErrorState error={error} onRetry={onRetry} />;
  const words =
    error instanceof Replaced
      ? t("viewer.replaced")
      : error instanceof PasswordException
        ? t("viewer.pdfLocked")
        : t("viewer.pdfBroken");
  return <ErrorState error={new ApiError(words, "UNREADABLE", 422)} onRetry={onRetry} />;
}
