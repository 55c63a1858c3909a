import { Button, Group, MultiSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { SEARCH_BOX } from "../../components/searchBox";
import { useLanguage } from "../../messages/language";
import { Filters } from "./Filters";
import { Options } from "./Options";
import { useKnowledgeBases } from "./queries";
import { countFilters, countOptions, type SearchState } from "./searchState";

type Props = { state: SearchState; onAsk: (changes: Partial<SearchState>) => void };

/** The question, where to look for its answer, and how. What is chosen counts at once. */
export function SearchForm({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const [text, setText] = useState(state.question);
  const box = useFocusOnArrival(state.question === "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk({ question: text.trim() });
  };
  return (
    <form onSubmit={submit} role="search">
      <Group align="flex-end" gap="sm" mb="sm" wrap="nowrap">
        <TextInput
          flex={1}
          miw={0}
          id={SEARCH_BOX}
          ref={box}
          type="search"
          label={t("search.box")}
          leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          aria-keyshortcuts="/"
          maxLength={10_000}
        />
        <Button type="submit">{t("search.submit")}</Button>
      </Group>
      <Group gap="sm" mb="lg" align="flex-start">
        <Where state={state} onAsk={onAsk} />
        <Filters state={state} onAsk={onAsk} />
        <Options state={state} onAsk={onAsk} />
        {countFilters(state) + countOptions(state) + state.knowledgeBases.length > 0 && (
          <Button variant="subtle" onClick={() => onAsk(NOTHING_CHOSEN)}>
            {t("search.clear")}
          </Button>
        )}
      </Group>
    </form>
  );
}

const NOTHING_CHOSEN: Partial<SearchState> = {
  knowledgeBases: [],
  kinds: [],
  tags: [],
  from: "",
  to: "",
  count: 10,
  minScore: 0,
  multiHop: false,
  diversity: 0,
  reranker: "",
};

function Where({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const bases = useKnowledgeBases().data?.items ?? [];
  const known = new Map(bases.map((kb) => [kb.slug, kb.name]));
  // A shared address may name what is gone; it stays visible, so that it can be taken away.
  for (const named of state.knowledgeBases) if (!known.has(named)) known.set(named, named);
  return (
    <MultiSelect
      className="where"
      aria-label={t("search.where")}
      placeholder={state.knowledgeBases.length ? undefined : t("search.everywhere")}
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={state.knowledgeBases}
      onChange={(knowledgeBases) => onAsk({ knowledgeBases })}
      nothingFoundMessage={t("search.noSuchBase")}
      searchable
      hidePickedOptions
    />
  );
}

/** Whoever comes to ask can type at once; whoever comes to read an answer is left where they are. */
function useFocusOnArrival(empty: boolean) {
  const box = useRef<HTMLInputElement>(null);
  const asked = useLocation().state?.focusSearch === true;
  useEffect(() => {
    // After the shell has put the focus on the new page.
    const timer = setTimeout(() => (asked || empty) && box.current?.focus(), 0);
    return () => clearTimeout(timer);
  }, [asked, empty]);
  return box;
}
