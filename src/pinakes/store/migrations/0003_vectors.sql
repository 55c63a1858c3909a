-- Large generations: tables of their own beside the shared ones, with an approximate index of vectors and one of
-- terms. They are copies to search in; what is true stands in chunk_vector and chunk_posting.

-- The end of the names of a generation's own tables; null while its shared rows are few enough to be read.
ALTER TABLE kb_index ADD own text;
CREATE UNIQUE INDEX kb_index_own ON kb_index (workspace_id, own) WHERE own IS NOT NULL;

-- One index of terms for all would hold every tenant's postings in each of its lists.
DROP FUNCTION posting_candidates;
DROP INDEX chunk_posting_terms;

-- Only an owner can make tables, and the application's role owns nothing. These functions take the workspace from
-- the setting, never from an argument, and touch nothing but what belongs to a generation of that workspace.
CREATE FUNCTION build_own_tables(p_index_id text, p_m integer, p_ef_construction integer) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
DECLARE
    v_workspace text := nullif(current_setting('pinakes.workspace', true), '');
    v_own text := substr(md5(random()::text || clock_timestamp()::text), 1, 16);
    v_postings text := 'chunk_posting_' || v_own;
    v_vectors text := 'chunk_vector_' || v_own;
    v_dims integer;
    v_table text;
BEGIN
    SELECT dims INTO v_dims FROM public.kb_index WHERE workspace_id = v_workspace AND index_id = p_index_id;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    EXECUTE format(
        'CREATE TABLE public.%I (workspace_id text NOT NULL, chunk_id text NOT NULL, terms integer[] NOT NULL, '
        'weights sparsevec NOT NULL)', v_postings);
    EXECUTE format(
        'CREATE TABLE public.%I (workspace_id text NOT NULL, chunk_id text NOT NULL, embedding halfvec%s NOT NULL)',
        v_vectors, '(' || v_dims || ')');
    EXECUTE format('ALTER TABLE public.%I ALTER embedding SET STORAGE PLAIN', v_vectors);
    EXECUTE format(
        'INSERT INTO public.%I SELECT workspace_id, chunk_id, terms, weights FROM public.chunk_posting '
        'WHERE workspace_id = $1 AND index_id = $2', v_postings) USING v_workspace, p_index_id;
    EXECUTE format(
        'INSERT INTO public.%I SELECT workspace_id, chunk_id, embedding FROM public.chunk_vector '
        'WHERE workspace_id = $1 AND index_id = $2', v_vectors) USING v_workspace, p_index_id;
    FOREACH v_table IN ARRAY ARRAY[v_postings, v_vectors] LOOP
        EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (workspace_id, chunk_id)', v_table);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format(
            'CREATE POLICY workspace_only ON public.%I '
            'USING (workspace_id = (SELECT nullif(current_setting(''pinakes.workspace'', true), '''')))', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON public.%I TO %I', v_table, session_user);
    END LOOP;
    EXECUTE format('GRANT SELECT ON public.%I TO pinakes_reader', v_postings);
    EXECUTE format(
        'CREATE POLICY reader ON public.%I FOR SELECT TO pinakes_reader USING (true)', v_postings);
    -- A list of terms yet to be filed would be read from end to end by every search.
    EXECUTE format(
        'CREATE INDEX ON public.%I USING gin (terms) WITH (fastupdate = off)', v_postings);
    IF v_dims IS NOT NULL THEN
        EXECUTE format(
            'CREATE INDEX ON public.%I USING hnsw (embedding halfvec_cosine_ops) WITH (m = %s, ef_construction = %s)',
            v_vectors, p_m, p_ef_construction);
    END IF;
    -- Up to a few rows what came meanwhile is carried over while others go on writing, the rest while they wait.
    WHILE public.refresh_own_tables(v_workspace, p_index_id, v_own) > 500 LOOP END LOOP;
    PERFORM FROM public.kb_index WHERE workspace_id = v_workspace AND index_id = p_index_id FOR UPDATE;
    PERFORM public.refresh_own_tables(v_workspace, p_index_id, v_own);
    UPDATE public.kb_index SET own = v_own WHERE workspace_id = v_workspace AND index_id = p_index_id;
    RETURN v_own;
END $$;

-- Takes its caller's rights, and nobody but the functions beside it is given any.
CREATE FUNCTION refresh_own_tables(p_workspace_id text, p_index_id text, p_own text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public
AS $$
DECLARE
    v_kind text;
    v_changed bigint;
    v_total bigint := 0;
BEGIN
    FOREACH v_kind IN ARRAY ARRAY['chunk_posting', 'chunk_vector'] LOOP
        EXECUTE format(
            'INSERT INTO public.%I SELECT workspace_id, chunk_id, %s FROM public.%I s '
            'WHERE workspace_id = $1 AND index_id = $2 AND NOT EXISTS ('
            'SELECT FROM public.%I o WHERE o.workspace_id = $1 AND o.chunk_id = s.chunk_id)',
            v_kind || '_' || p_own, CASE v_kind WHEN 'chunk_vector' THEN 'embedding' ELSE 'terms, weights' END,
            v_kind, v_kind || '_' || p_own) USING p_workspace_id, p_index_id;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        v_total := v_total + v_changed;
        EXECUTE format(
            'DELETE FROM public.%I o WHERE NOT EXISTS (SELECT FROM public.%I s '
            'WHERE s.workspace_id = $1 AND s.index_id = $2 AND s.chunk_id = o.chunk_id)',
            v_kind || '_' || p_own, v_kind) USING p_workspace_id, p_index_id;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        v_total := v_total + v_changed;
    END LOOP;
    RETURN v_total;
END $$;

-- What a generation was given before it answered, its own tables get when it is made to answer.
CREATE FUNCTION renew_own_tables(p_index_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
DECLARE
    v_workspace text := nullif(current_setting('pinakes.workspace', true), '');
    v_own text;
BEGIN
    SELECT own INTO v_own FROM public.kb_index
    WHERE workspace_id = v_workspace AND index_id = p_index_id AND own IS NOT NULL FOR UPDATE;
    RETURN CASE WHEN FOUND THEN public.refresh_own_tables(v_workspace, p_index_id, v_own) ELSE 0 END;
END $$;

-- Own tables that no generation names any more, because it was deleted or given newer ones.
CREATE FUNCTION drop_own_tables() RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '1s'
AS $$
DECLARE
    v_table text;
    v_dropped integer := 0;
BEGIN
    FOR v_table IN
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
          AND c.relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
          AND c.relname ~ '^chunk_(posting|vector)_[0-9a-f]{{16}}$'
          AND NOT EXISTS (SELECT FROM public.kb_index i WHERE i.own = right(c.relname, 16))
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE public.%I', v_table);
            v_dropped := v_dropped + 1;
        EXCEPTION WHEN lock_not_available THEN
            -- Somebody still reads it; the next sweep comes.
            NULL;
        END;
    END LOOP;
    RETURN v_dropped;
END $$;

-- Array operators are not leakproof, so under a policy the index of terms would not be used. This one runs as a role
-- that can only read. Read are the postings that hold any of the terms or both of any pair, as '{{1,2}}'.
-- The weights are text, since a back-up names a function by the types of its arguments, away from the extension's.
CREATE FUNCTION best_postings(
    p_index_id text, p_weights text, p_terms integer[], p_pairs text[], p_limit integer
)
RETURNS TABLE (chunk_id text, score double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
DECLARE
    v_workspace text := nullif(current_setting('pinakes.workspace', true), '');
    v_own text;
BEGIN
    SELECT i.own INTO v_own FROM public.kb_index i
    WHERE i.workspace_id = v_workspace AND i.index_id = p_index_id AND i.own IS NOT NULL;
    IF FOUND THEN
        RETURN QUERY EXECUTE format(
            'SELECT p.chunk_id, p.weights <#> $1 AS score FROM public.%I p '
            'WHERE p.workspace_id = $2 AND (p.terms && $3 %s) ORDER BY score LIMIT $4',
            'chunk_posting_' || v_own,
            (SELECT string_agg(format('OR p.terms @> %L::integer[]', pair), ' ') FROM unnest(p_pairs) AS pair)
        ) USING p_weights::sparsevec, v_workspace, p_terms, p_limit;
    END IF;
END $$;

GRANT SELECT ON kb_index TO pinakes_reader;
CREATE POLICY reader ON kb_index FOR SELECT TO pinakes_reader USING (true);
GRANT CREATE ON SCHEMA public TO pinakes_reader;
ALTER FUNCTION best_postings OWNER TO pinakes_reader;
REVOKE CREATE ON SCHEMA public FROM pinakes_reader;
REVOKE ALL ON FUNCTION build_own_tables, refresh_own_tables, renew_own_tables, drop_own_tables, best_postings
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION build_own_tables, renew_own_tables, drop_own_tables, best_postings TO {app_role};
