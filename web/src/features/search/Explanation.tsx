import { Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { useLanguage } from "../../messages/language";

type Props = { hit: Schemas["HitOut"]; hits: Schemas["HitOut"][]; linkTo: (hit: Schemas["HitOut"]) => string };

/** How a score came about, for whoever wants to know. */
export function Explanation({ hit, hits, linkTo }: Props) {
  const { t, language } = useLanguage();
  const number = (value: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);
  const { dense, lexical, fused, rerank, via, alsoIn, truncated } = hit.metadata;
  const first = via === null ? undefined : hits.find((other) => other.chunkId === via);
  return (
    <dl className="explanation">
      <dt>{t("search.why.similarity")}</dt>
      <dd>{t("search.why.similarityText", { percent: String(Math.round(hit.similarity * 100)) })}</dd>
      <dt>{t("search.why.dense")}</dt>
      <dd>{dense === null ? t("search.why.noDense") : t("search.why.denseText", { value: number(dense) })}</dd>
      <dt>{t("search.why.lexical")}</dt>
      <dd>{lexical === 0 ? t("search.why.noLexical") : t("search.why.lexicalText", { value: number(lexical) })}</dd>
      <dt>{t("search.why.fused")}</dt>
      <dd>{t("search.why.fusedText", { value: number(fused) })}</dd>
      {rerank !== null && (
        <>
          <dt>{t("search.why.rerank")}</dt>
          <dd>{t("search.why.rerankText", { value: number(rerank) })}</dd>
        </>
      )}
      {via !== null && (
        <>
          <dt>{t("search.why.via")}</dt>
          <dd>
            {t("search.why.viaText")} {first && <Link to={linkTo(first)}>{first.citation}</Link>}
          </dd>
        </>
      )}
      {alsoIn.length > 0 && (
        <>
          <dt>{t("search.why.alsoIn")}</dt>
          <dd>
            {[...new Set(alsoIn)].map((place) => (
              <Text key={place} size="sm" className="long-name">
                {place}
              </Text>
            ))}
          </dd>
        </>
      )}
      {truncated && (
        <>
          <dt>{t("search.why.truncated")}</dt>
          <dd>{t("search.why.truncatedText")}</dd>
        </>
      )}
    </dl>
  );
}
