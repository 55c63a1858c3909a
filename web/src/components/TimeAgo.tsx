import { useEffect, useState } from "react";
import { useLanguage } from "../messages/language";
import { formatTime, formatTimeAgo } from "./formats";

/** How long ago, or how soon; the exact time on hover. */
export function TimeAgo({ time }: { time: string | null }) {
  const { t, language } = useLanguage();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const tick = setInterval(() => setNow(new Date()), 60_000);
    return () => clearInterval(tick);
  }, []);
  if (!time) return <>{t("time.never")}</>;
  const moment = new Date(time);
  return (
    <time dateTime={time} title={formatTime(moment, language)} style={{ whiteSpace: "nowrap" }}>
      {formatTimeAgo(moment, now, language) ?? t("time.now")}
    </time>
  );
}
