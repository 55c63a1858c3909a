--
-- PostgreSQL database dump
--

\restrict l51AtkRDaEqor4mOvMJcKLHbjdfn0Dfg18oCVYTHGTg6euoRU1p2KFgYC31IsiP

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;


--
-- Name: EXTENSION vector; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';


--
-- Name: procrastinate_job_event_type; Type: TYPE; Schema: public; Owner: pinakes
--

CREATE TYPE public.procrastinate_job_event_type AS ENUM (
    'deferred',
    'started',
    'deferred_for_retry',
    'failed',
    'succeeded',
    'cancelled',
    'abort_requested',
    'aborted',
    'scheduled',
    'retried'
);


ALTER TYPE public.procrastinate_job_event_type OWNER TO pinakes;

--
-- Name: procrastinate_job_status; Type: TYPE; Schema: public; Owner: pinakes
--

CREATE TYPE public.procrastinate_job_status AS ENUM (
    'todo',
    'doing',
    'succeeded',
    'failed',
    'cancelled',
    'aborting',
    'aborted'
);


ALTER TYPE public.procrastinate_job_status OWNER TO pinakes;

--
-- Name: procrastinate_job_to_defer_v1; Type: TYPE; Schema: public; Owner: pinakes
--

CREATE TYPE public.procrastinate_job_to_defer_v1 AS (
	queue_name character varying,
	task_name character varying,
	priority integer,
	lock text,
	queueing_lock text,
	args jsonb,
	scheduled_at timestamp with time zone
);


ALTER TYPE public.procrastinate_job_to_defer_v1 OWNER TO pinakes;

--
-- Name: posting_candidates(text, integer[]); Type: FUNCTION; Schema: public; Owner: pinakes_reader
--

CREATE FUNCTION public.posting_candidates(p_index_id text, p_terms integer[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
    SELECT chunk_id FROM public.chunk_posting
    WHERE workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), ''))
      AND index_id = p_index_id AND terms && p_terms
$$;


ALTER FUNCTION public.posting_candidates(p_index_id text, p_terms integer[]) OWNER TO pinakes_reader;

--
-- Name: procrastinate_cancel_job_v1(bigint, boolean, boolean); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;


ALTER FUNCTION public.procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean) OWNER TO pinakes;

--
-- Name: procrastinate_defer_jobs_v1(public.procrastinate_job_to_defer_v1[]); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_defer_jobs_v1(jobs public.procrastinate_job_to_defer_v1[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$$;


ALTER FUNCTION public.procrastinate_defer_jobs_v1(jobs public.procrastinate_job_to_defer_v1[]) OWNER TO pinakes;

--
-- Name: procrastinate_defer_periodic_job_v2(character varying, character varying, character varying, character varying, integer, character varying, bigint, jsonb); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$$;


ALTER FUNCTION public.procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb) OWNER TO pinakes;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: procrastinate_jobs; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.procrastinate_jobs (
    id bigint NOT NULL,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    lock text,
    queueing_lock text,
    args jsonb DEFAULT '{}'::jsonb NOT NULL,
    status public.procrastinate_job_status DEFAULT 'todo'::public.procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint,
    CONSTRAINT check_not_todo_abort_requested CHECK ((NOT ((status = 'todo'::public.procrastinate_job_status) AND (abort_requested = true))))
);


ALTER TABLE public.procrastinate_jobs OWNER TO pinakes;

--
-- Name: procrastinate_fetch_job_v2(character varying[], bigint); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint) RETURNS public.procrastinate_jobs
    LANGUAGE plpgsql
    AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$$;


ALTER FUNCTION public.procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint) OWNER TO pinakes;

--
-- Name: procrastinate_finish_job_v1(bigint, public.procrastinate_job_status, boolean); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_finish_job_v1(job_id bigint, end_status public.procrastinate_job_status, delete_job boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;


ALTER FUNCTION public.procrastinate_finish_job_v1(job_id bigint, end_status public.procrastinate_job_status, delete_job boolean) OWNER TO pinakes;

--
-- Name: procrastinate_notify_queue_abort_job_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_notify_queue_abort_job_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_notify_queue_abort_job_v1() OWNER TO pinakes;

--
-- Name: procrastinate_notify_queue_job_inserted_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_notify_queue_job_inserted_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_notify_queue_job_inserted_v1() OWNER TO pinakes;

--
-- Name: procrastinate_prune_stalled_workers_v1(double precision); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision) RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;


ALTER FUNCTION public.procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision) OWNER TO pinakes;

--
-- Name: procrastinate_register_worker_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_register_worker_v1() RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;


ALTER FUNCTION public.procrastinate_register_worker_v1() OWNER TO pinakes;

--
-- Name: procrastinate_retry_job_v1(bigint, timestamp with time zone, integer, character varying, character varying); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;


ALTER FUNCTION public.procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) OWNER TO pinakes;

--
-- Name: procrastinate_retry_job_v2(bigint, timestamp with time zone, integer, character varying, character varying); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$$;


ALTER FUNCTION public.procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) OWNER TO pinakes;

--
-- Name: procrastinate_trigger_abort_requested_events_procedure_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1() OWNER TO pinakes;

--
-- Name: procrastinate_trigger_function_scheduled_events_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_trigger_function_scheduled_events_v1() OWNER TO pinakes;

--
-- Name: procrastinate_trigger_function_status_events_insert_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_trigger_function_status_events_insert_v1() OWNER TO pinakes;

--
-- Name: procrastinate_trigger_function_status_events_update_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_trigger_function_status_events_update_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;


ALTER FUNCTION public.procrastinate_trigger_function_status_events_update_v1() OWNER TO pinakes;

--
-- Name: procrastinate_unlink_periodic_defers_v1(); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_unlink_periodic_defers_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;


ALTER FUNCTION public.procrastinate_unlink_periodic_defers_v1() OWNER TO pinakes;

--
-- Name: procrastinate_unregister_worker_v1(bigint); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_unregister_worker_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;


ALTER FUNCTION public.procrastinate_unregister_worker_v1(worker_id bigint) OWNER TO pinakes;

--
-- Name: procrastinate_update_heartbeat_v1(bigint); Type: FUNCTION; Schema: public; Owner: pinakes
--

CREATE FUNCTION public.procrastinate_update_heartbeat_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;


ALTER FUNCTION public.procrastinate_update_heartbeat_v1(worker_id bigint) OWNER TO pinakes;

--
-- Name: workspace_ids(); Type: FUNCTION; Schema: public; Owner: pinakes_reader
--

CREATE FUNCTION public.workspace_ids() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$ SELECT workspace_id FROM public.workspace ORDER BY workspace_id $$;


ALTER FUNCTION public.workspace_ids() OWNER TO pinakes_reader;

--
-- Name: api_key; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.api_key (
    workspace_id text NOT NULL,
    key_id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone
);


ALTER TABLE public.api_key OWNER TO pinakes;

--
-- Name: app_user; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.app_user (
    user_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.app_user OWNER TO pinakes;

--
-- Name: blob; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.blob (
    workspace_id text NOT NULL,
    blob_key text NOT NULL,
    state text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blob_state_check CHECK ((state = ANY (ARRAY['intent'::text, 'live'::text, 'trash'::text])))
);


ALTER TABLE public.blob OWNER TO pinakes;

--
-- Name: chunk; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.chunk (
    workspace_id text NOT NULL,
    chunk_id text NOT NULL,
    version_id text NOT NULL,
    ordinal integer NOT NULL,
    content text NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    page integer,
    headings text[] NOT NULL,
    start_line integer NOT NULL,
    end_line integer NOT NULL,
    tokens integer NOT NULL,
    text_hash bytea NOT NULL
);


ALTER TABLE public.chunk OWNER TO pinakes;

--
-- Name: chunk_posting; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.chunk_posting (
    workspace_id text NOT NULL,
    index_id text NOT NULL,
    chunk_id text NOT NULL,
    terms integer[] NOT NULL,
    weights public.sparsevec NOT NULL
);


ALTER TABLE public.chunk_posting OWNER TO pinakes;

--
-- Name: chunk_vector; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.chunk_vector (
    workspace_id text NOT NULL,
    index_id text NOT NULL,
    chunk_id text NOT NULL,
    embedding public.halfvec NOT NULL
);
ALTER TABLE ONLY public.chunk_vector ALTER COLUMN embedding SET STORAGE PLAIN;


ALTER TABLE public.chunk_vector OWNER TO pinakes;

--
-- Name: document; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.document (
    workspace_id text NOT NULL,
    document_id text NOT NULL,
    kb_id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    title text,
    tags jsonb DEFAULT '{}'::jsonb NOT NULL,
    active_version_id text,
    latest_version_id text NOT NULL,
    created_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT document_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'note'::text, 'memory'::text])))
);


ALTER TABLE public.document OWNER TO pinakes;

--
-- Name: document_version; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.document_version (
    workspace_id text NOT NULL,
    version_id text NOT NULL,
    document_id text NOT NULL,
    number integer NOT NULL,
    blob_key text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    media_type text NOT NULL,
    status text NOT NULL,
    error text,
    chunk_count integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_version_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexing'::text, 'indexed'::text, 'failed'::text])))
);


ALTER TABLE public.document_version OWNER TO pinakes;

--
-- Name: kb_index; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.kb_index (
    workspace_id text NOT NULL,
    index_id text NOT NULL,
    kb_id text NOT NULL,
    embedder text NOT NULL,
    dims integer,
    analyser_version integer NOT NULL,
    avgdl_ref real NOT NULL,
    calibration jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT kb_index_dims_check CHECK (((dims >= 1) AND (dims <= 4000)))
);


ALTER TABLE public.kb_index OWNER TO pinakes;

--
-- Name: knowledge_base; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.knowledge_base (
    workspace_id text NOT NULL,
    kb_id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lifecycle_days integer DEFAULT 0 NOT NULL,
    built_in boolean DEFAULT false NOT NULL,
    active_index_id text NOT NULL,
    created_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT knowledge_base_lifecycle_days_check CHECK ((lifecycle_days >= 0))
);


ALTER TABLE public.knowledge_base OWNER TO pinakes;

--
-- Name: member; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.member (
    workspace_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'viewer'::text])))
);


ALTER TABLE public.member OWNER TO pinakes;

--
-- Name: operation; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.operation (
    workspace_id text NOT NULL,
    operation_id text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    progress integer DEFAULT 0 NOT NULL,
    kb_id text NOT NULL,
    document_id text NOT NULL,
    version_id text NOT NULL,
    error text,
    attempts integer DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    traceparent text,
    created_by text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    touched_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT operation_progress_check CHECK (((progress >= 0) AND (progress <= 100))),
    CONSTRAINT operation_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'completed'::text, 'failed'::text, 'terminated'::text])))
);


ALTER TABLE public.operation OWNER TO pinakes;

--
-- Name: procrastinate_events; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.procrastinate_events (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    type public.procrastinate_job_event_type,
    at timestamp with time zone DEFAULT now()
);


ALTER TABLE public.procrastinate_events OWNER TO pinakes;

--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE; Schema: public; Owner: pinakes
--

CREATE SEQUENCE public.procrastinate_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.procrastinate_events_id_seq OWNER TO pinakes;

--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: pinakes
--

ALTER SEQUENCE public.procrastinate_events_id_seq OWNED BY public.procrastinate_events.id;


--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE; Schema: public; Owner: pinakes
--

CREATE SEQUENCE public.procrastinate_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.procrastinate_jobs_id_seq OWNER TO pinakes;

--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: pinakes
--

ALTER SEQUENCE public.procrastinate_jobs_id_seq OWNED BY public.procrastinate_jobs.id;


--
-- Name: procrastinate_periodic_defers; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.procrastinate_periodic_defers (
    id bigint NOT NULL,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint,
    periodic_id character varying(128) DEFAULT ''::character varying NOT NULL
);


ALTER TABLE public.procrastinate_periodic_defers OWNER TO pinakes;

--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE; Schema: public; Owner: pinakes
--

CREATE SEQUENCE public.procrastinate_periodic_defers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.procrastinate_periodic_defers_id_seq OWNER TO pinakes;

--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: pinakes
--

ALTER SEQUENCE public.procrastinate_periodic_defers_id_seq OWNED BY public.procrastinate_periodic_defers.id;


--
-- Name: procrastinate_workers; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.procrastinate_workers (
    id bigint NOT NULL,
    last_heartbeat timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.procrastinate_workers OWNER TO pinakes;

--
-- Name: procrastinate_workers_id_seq; Type: SEQUENCE; Schema: public; Owner: pinakes
--

ALTER TABLE public.procrastinate_workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.procrastinate_workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: schema_migration; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.schema_migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.schema_migration OWNER TO pinakes;

--
-- Name: sign_in_link; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.sign_in_link (
    token_hash bytea NOT NULL,
    user_id text,
    workspace_id text,
    role text,
    name text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT sign_in_link_check CHECK (((user_id IS NULL) = ((workspace_id IS NOT NULL) AND (role IS NOT NULL) AND (name IS NOT NULL))))
);


ALTER TABLE public.sign_in_link OWNER TO pinakes;

--
-- Name: staged_embedding; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.staged_embedding (
    workspace_id text NOT NULL,
    version_id text NOT NULL,
    index_id text NOT NULL,
    text_hash bytea NOT NULL,
    embedding public.halfvec NOT NULL
);
ALTER TABLE ONLY public.staged_embedding ALTER COLUMN embedding SET STORAGE PLAIN;


ALTER TABLE public.staged_embedding OWNER TO pinakes;

--
-- Name: term_delta; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.term_delta (
    workspace_id text NOT NULL,
    index_id text NOT NULL,
    term integer NOT NULL,
    entry bigint NOT NULL,
    chunks integer NOT NULL
);


ALTER TABLE public.term_delta OWNER TO pinakes;

--
-- Name: term_delta_entry_seq; Type: SEQUENCE; Schema: public; Owner: pinakes
--

ALTER TABLE public.term_delta ALTER COLUMN entry ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.term_delta_entry_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: user_session; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.user_session (
    token_hash bytea NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


ALTER TABLE public.user_session OWNER TO pinakes;

--
-- Name: workspace; Type: TABLE; Schema: public; Owner: pinakes
--

CREATE TABLE public.workspace (
    workspace_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


ALTER TABLE public.workspace OWNER TO pinakes;

--
-- Name: procrastinate_events id; Type: DEFAULT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_events ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_events_id_seq'::regclass);


--
-- Name: procrastinate_jobs id; Type: DEFAULT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_jobs ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_jobs_id_seq'::regclass);


--
-- Name: procrastinate_periodic_defers id; Type: DEFAULT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_periodic_defers ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_periodic_defers_id_seq'::regclass);


--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.api_key (workspace_id, key_id, user_id, name, secret_hash, hint, scopes, created_at, expires_at, revoked_at, last_used_at) FROM stdin;
\.


--
-- Data for Name: app_user; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.app_user (user_id, name, created_at) FROM stdin;
usr_01m7ffa38qf14geemfk5n4pykv	Local owner	2026-11-15 11:26:04.053514+00
\.


--
-- Data for Name: blob; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.blob (workspace_id, blob_key, state, updated_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	ws_01m7ffa38r2n85cxkt96vprj56/kb_01m7ffa3bsf76s9gsd2x6t92bs/ver_01m7ffa3drrgj77whmj2s7m82s	live	2026-11-15 11:26:04.223374+00
ws_01m7ffa38r2n85cxkt96vprj56	ws_01m7ffa38r2n85cxkt96vprj56/kb_01m7ffa3bsf76s9gsd2x6t92bs/ver_01m7ffa3dx76nmcb6wtak4adtf	live	2026-11-15 11:26:04.225958+00
\.


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.chunk (workspace_id, chunk_id, version_id, ordinal, content, start_offset, end_offset, page, headings, start_line, end_line, tokens, text_hash) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	chk_01m7ffa3q8rthbqzmcpnqqyg3n	ver_01m7ffa3drrgj77whmj2s7m82s	0	Honey bees dance to tell their sisters where the flowers are.\nA hive of bees keeps its brood at thirty-five degrees.	0	116	\N	{}	1	2	25	\\xc689bba4ca531aec85a74bdca672528cf1d437273c679a0347cbaa2bdf2c1772
ws_01m7ffa38r2n85cxkt96vprj56	chk_01m7ffa3t9zaphkmg9h40yf9fb	ver_01m7ffa3dx76nmcb6wtak4adtf	0	# Lighthouses\n\nThe lighthouse of Alexandria stood on the island of Pharos.	0	74	\N	{Lighthouses}	1	3	18	\\x865973a511cc9d356a7a10ea112e184029604b0fb10d6370c5dac4c49af23773
ws_01m7ffa38r2n85cxkt96vprj56	chk_01m7ffa3ta5ccb5qetagh67ppt	ver_01m7ffa3dx76nmcb6wtak4adtf	1	## Lamps\n\nEarly lamps burned olive oil; later ones burned paraffin.	76	143	\N	{Lighthouses,Lamps}	5	7	19	\\xc8f5b5ae9a69faf87735a1f893bb18e55f809fee8692368e2750a716fe37d64f
\.


--
-- Data for Name: chunk_posting; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.chunk_posting (workspace_id, index_id, chunk_id, terms, weights) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3q8rthbqzmcpnqqyg3n	{30054739,30571733,38956379,53163019,83959042,124556715,133910021,154486455,189817021,190641331,240702520,289715286,306039908,322756549,342704896,356811741,406796639,446993591,453487879,503252852,512047867}	{30054739:1.5017065,30571733:1.5017065,38956379:1.5017065,53163019:1.5017065,83959042:1.5017065,124556715:1.5017065,133910021:1.5017065,154486455:1.5017065,189817021:1.5017065,190641331:1.7849898,240702520:1.5017065,289715286:1.5017065,306039908:1.5017065,322756549:1.5017065,342704896:1.5017065,356811741:1.5017065,406796639:1.5017065,446993591:1.5017065,453487879:1.5017065,503252852:1.5017065,512047867:1.5017065}/536870912
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3t9zaphkmg9h40yf9fb	{38956379,94060826,118348116,124556715,360456788,460120294,491536164,517685986}	{38956379:1.8410041,94060826:1.5827339,118348116:1.9469026,124556715:1.8410041,360456788:1.5827339,460120294:1.5827339,491536164:1.5827339,517685986:1.5827339}/536870912
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3ta5ccb5qetagh67ppt	{94351994,118348116,299998988,319619883,350224957,399551679,432605559,433566606,481152604}	{94351994:1.5827339,118348116:1.5827339,299998988:1.5827339,319619883:1.5827339,350224957:1.8410041,399551679:1.5827339,432605559:1.5827339,433566606:1.9469026,481152604:1.5827339}/536870912
\.


--
-- Data for Name: chunk_vector; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.chunk_vector (workspace_id, index_id, chunk_id, embedding) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3q8rthbqzmcpnqqyg3n	[0.03164673,-0.023086548,0.040802002,-0.020935059,-0.047851562,0.03640747,0.019439697,-0.14367676,0.0076522827,0.08905029,0.07006836,-0.046813965,0.031219482,-0.0073776245,0.06982422,0.0524292,0.06237793,-0.012107849,-0.048461914,-0.035583496,0.011329651,-0.09954834,0.060150146,0.059661865,0.013328552,0.05050659,-0.04788208,-0.008628845,-0.088378906,0.012802124,-0.049072266,0.13195801,0.03894043,0.009780884,-0.038635254,-0.031173706,-0.062927246,-0.03717041,0.08831787,0.057617188,-0.021392822,-0.07434082,0.02835083,-0.03427124,-0.0317688,0.06112671,0.0017213821,0.08123779,0.051574707,-0.041748047,-0.070617676,-0.007080078,-0.001917839,0.022598267,-0.014198303,-0.01576233,0.024642944,0.0049362183,0.056396484,0.028839111,0.12109375,0.058685303,0.02519226,-0.009643555,-0.06640625,-0.121520996,-0.05392456,0.040771484,0.06604004,-0.011962891,-0.011054993,-0.025863647,0.015419006,0.031921387,0.022094727,0.03036499,0.046142578,-0.039855957,-0.046081543,-0.05810547,-0.10687256,-0.107788086,-0.036895752,0.034454346,-0.060333252,-0.055358887,0.056488037,0.029891968,0.015350342,0.022750854,-0.0871582,-0.081604004,-0.1104126,-0.064941406,-0.012275696,0.026855469,-0.00969696,-0.029754639,0.027908325,0.0025634766,-0.030807495,-0.0011844635,-0.009346008,0.025054932,-0.037994385,-0.06237793,-0.0012998581,0.064453125,0.034576416,0.008644104,-0.080322266,0.030212402,0.09503174,0.12573242,-0.049804688,-0.024368286,-0.042297363,0.029052734,0.018310547,0.06542969,0.11871338,0.046081543,-0.014076233,0.02355957,0.0031852722,0.033691406,-0.0692749,-0,0.06365967,0.054992676,0.08068848,0.04800415,0.055847168,-0.006149292,-0.12915039,0.007507324,0.0017232895,-0.011657715,-0.011199951,-0.06890869,0.059936523,-0.0043258667,-0.066223145,-0.0039901733,0.008216858,-0.007926941,0.024719238,0.04940796,-0.055725098,0.041229248,-0.07128906,-0.04348755,-0.03463745,0.04067993,0.014503479,0.029281616,-0.031021118,0.022399902,0.0881958,-0.07165527,0.0036296844,0.010803223,0.07208252,-0.050567627,0.057617188,-0.040252686,0.0040512085,-0.030700684,0.0067710876,-0.034820557,0.032470703,0.082214355,0.04434204,0.08892822,-0.07989502,0.021453857,0.03503418,0.026885986,0.048095703,0.058898926,0.09802246,-0.012557983,0.11376953,0.061798096,0.051727295,-0.045532227,-0.1381836,0.028579712,0.011749268,-0.016464233,-0.02720642,-0.14672852,0.033050537,-0.0015335083,-0.068847656,0.003162384,-0.0058555603,-0.017684937,0.010139465,0.027496338,-0.011962891,0.06768799,-0.052886963,0.0010242462,0.097717285,-0.03111267,0.025421143,-0.07977295,0.013793945,-0.06573486,-0.018127441,-0.055511475,-0.01625061,-0.07147217,-0.061553955,-0.066833496,-0.086364746,-0.0018358231,-0.06945801,-0.060028076,-0.01889038,0.045928955,-0.05166626,-0,-0.041259766,0.016464233,-0.0025863647,0.03778076,0.0066871643,-0.03213501,0.029159546,0.01158905,0.0018920898,0.08325195,-0.05230713,-0.07928467,0.019134521,0.010070801,0.015197754,0.009757996,0.11444092,0.0134887695,0.017868042,0.07098389,-0.097961426,0.11566162,-0.005077362,0.001086235,-0.013557434,0.01499176,-0.0065307617,0.0715332,-0.02835083,-0.0045204163,0.026794434,-0.12432861,0.016601562,-0.123291016,0.028747559,0.028030396,-0.08312988,-0.06695557,-0.004383087,-0.007461548,-0.012802124,-0.10443115,0.003967285,-0.023071289,0.024658203,0.02394104,-0.04248047,0.13208008,-0.04034424,0.048919678,-0.036712646,-0.07757568,0.020202637,0.0151901245,-0.017089844,-0.048980713,0.011482239,0.0501709,0.013122559,-0.037994385,0.08001709,0.0033416748,0.015129089,0.104003906,-0.10284424,0.049194336,-0.010604858,-0.01651001,0.003200531,0.06506348,0.054260254,-0.011886597,-0.097717285,0.015563965,-0.013298035,0.041229248,-0.017471313,-0.008285522,-0.013313293,0.014884949,-0.08721924,0.0024662018,-0.025299072,0.009925842,0.035369873,-0.031829834,0.004386902,0.023635864,-0.020584106,0.015945435,0.004470825,0.0054893494,-0.018005371,-0.055023193,0.007411957,-0,0.015777588,-0.03439331,0.06518555,-0.021591187,0.08508301,0.06341553,0.049591064,-0.0057373047,0.024642944,0.014030457,-0.004310608,0.0038375854,0.030792236,-0.010887146,0.07067871,-0.05831909,0.068725586,0.0067367554,0.0016059875,-0.04751587,-0.007358551,0.02708435,-0.0146865845,0.00440979,-0.023712158,-0.029800415,0.075805664,0.023498535,-0.062927246,0.006965637,-0.010467529,-0.028259277,0.03125,-0.0036773682,-0.0791626,0.011329651,-0.032073975,0.009735107,0.019439697,-0.040283203,-0.008171082,8.445978e-05,-0.027694702,-0.010559082,0.008239746,-0.035339355,0.08251953,0.02104187,-0.022247314,0.03439331,-0.036743164,0.058898926,-0.03149414,-0.009315491,-0.052581787,-0.031204224,-0.09790039,-0.006084442,0.0024757385,0.08502197,-0.022827148,0.06304932,-0.07885742,-0.08679199]
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3t9zaphkmg9h40yf9fb	[-0.03656006,0.056915283,-0.02104187,0.0155181885,-0.041900635,0.017852783,0.025131226,-0.019699097,0.023773193,0.020553589,0.05618286,-0.04034424,-0.035491943,-0.023391724,-0.00033473969,-0.03552246,-0.059936523,-0.011390686,0.032104492,0.05480957,0.15515137,-0.012565613,0.0063552856,0.053100586,0.034179688,0.10089111,0.029144287,0.032165527,0.05633545,0.027511597,0.00041484833,-0.046081543,0.011657715,-0.04977417,-0.04095459,0.06021118,-0.0052871704,-0.09411621,0.11859131,0.075683594,-0.028152466,0.05529785,0.050109863,-0.009017944,-0.09161377,-0.045959473,0.045196533,-0.022094727,-0.01525116,-0.039978027,-0.045959473,-0.07244873,-0.033477783,-0.015617371,-0.08215332,0.036071777,-0.072753906,0.014724731,0.078186035,-0.03640747,0.060394287,0.02999878,0.006149292,0.06365967,-0.14135742,0.03918457,-0.070251465,-0.031585693,0.046295166,-0.04373169,-0.0151901245,-0.010185242,0.061553955,-0.05050659,0.016052246,0.07507324,0.070129395,-0.030212402,-0.10498047,0.020355225,0.005290985,-0.057373047,-0.057739258,0.10638428,0.021469116,0.029373169,-0.023605347,0.0423584,0.052093506,-0.10430908,0.056121826,0.014404297,0.03869629,-0.005783081,0.02772522,0.0068206787,-0.030593872,0.064819336,-0.042510986,-0.026428223,0.070739746,0.029678345,-0.020401001,0.06060791,-0.036590576,-0.01876831,0.012435913,-0.009353638,-0.028137207,-0.01209259,0.035339355,-0.068603516,0.010520935,0.036956787,-0.04647827,-0.0847168,-0.017410278,-0.05770874,0.061035156,0.042663574,0.044555664,-0.104003906,0.0463562,0.019729614,-0.020339966,0.06713867,-0.06762695,-0,0.010681152,0.019592285,0.05886841,-0.055541992,0.07867432,-0.029403687,0.016540527,0.053710938,-0.060180664,-0.046691895,-0.016937256,0.07092285,-0.061157227,-0.019424438,-0.010627747,0.029708862,0.08581543,-0.04928589,-0.046142578,0.04852295,-0.024612427,-0.0592041,-0.024475098,-0.042022705,0.025100708,0.06976318,-0.08441162,-0.00032925606,-0.08087158,0.027069092,0.011436462,-0.0135650635,0.014549255,-0.018936157,-0.06958008,-0.032470703,-0.03466797,0.009918213,-0.07562256,-0.048736572,-0.021194458,0.0395813,-0.0011501312,0.10559082,0.079711914,0.056732178,-0.09674072,0.08294678,0.13879395,0.026443481,-0.061798096,-0.021194458,-0.14440918,0.026519775,-0.0065231323,-0.042755127,-0.11450195,0.029830933,-0.0234375,0.06188965,0.0035419464,0.021652222,0.063964844,0.0357666,-0.033416748,0.020370483,0.013587952,0.0368042,-0.03225708,0.026870728,-0.032562256,-0.059020996,0.059051514,0.081726074,0.030273438,-0.008995056,-0.029037476,-0.021118164,-0.09661865,0.041931152,-0.01727295,-0.02456665,0.0057640076,0.0017776489,0.04849243,-0.04333496,0.06640625,-0.039154053,-0.022445679,-0.02319336,-0.009315491,0.035614014,-0.0010166168,-0.05404663,-0.11590576,0,-0.047302246,-0.039123535,-0.06567383,-0.08203125,-0.045959473,-0.045074463,-0.01701355,-0.02658081,-0.03656006,0.06744385,-0.016052246,-0.045135498,-0.054534912,0.004589081,-0.070129395,0.0014019012,0.041900635,-0.06726074,0.028518677,-0.00024032593,0.0715332,-0.019805908,-0.011436462,-0.018981934,0.04425049,0.014801025,0.057403564,0.017364502,0.0016870499,-0.03314209,-0.036224365,0.030761719,0.020462036,0.030517578,-0.04373169,0.06689453,0.002916336,-0.06652832,0.074279785,0.06329346,0.10284424,-0.061676025,0.024490356,0.023620605,-0.008041382,-0.010604858,0.0141067505,0.06100464,-0.0073776245,-0.09820557,-0.048461914,0.020202637,-0.024368286,0.051849365,0.048980713,0.032348633,-0.040802002,0.13745117,-0.019958496,-0.04232788,-0.007987976,-0.06604004,0.005088806,0.0715332,0.074401855,-0.049194336,-0.0054969788,0.006137848,-0.009346008,0.06732178,-0.03677368,-0.033203125,-0.05328369,0.02532959,-0.088134766,0.08557129,-0.07800293,-0.0657959,-0.022613525,-0.05343628,0.016067505,-0.015052795,-0.0028762817,-0.026062012,0.038604736,-0.01499176,0.114746094,-0.011146545,-0.06774902,0.056640625,0.053527832,0.026473999,0.01374054,-0.053497314,-0.038726807,-0,0.076171875,0.005783081,-0.0134887695,0.034210205,-0.0067825317,0.037597656,0.015716553,-0.039520264,-0.07434082,0.036224365,-0.060028076,-0.103027344,0.06097412,0.0491333,0.029724121,0.0039138794,-0.016586304,-0.042053223,0.027496338,-0.03475952,-0.049621582,-0.025024414,-0.028747559,-0.08795166,-0.019882202,0.024673462,0.081726074,0.026306152,-0.026473999,0.030166626,0.047729492,-0.06518555,0.06225586,0.0105896,-0.042266846,-0.049835205,-0.017654419,-0.06915283,-0.032409668,-0.09899902,-0.047912598,-0.02545166,-0.0006508827,0.037902832,0.07543945,0.08984375,0.11895752,-0.010940552,0.06021118,0.011383057,0.029708862,-0.03112793,0.07299805,0.004814148,0.015777588,-0.0692749,0.020843506,0.09161377,0.018188477,0.027816772,0.042053223,0.09509277,0.0020961761,0.009963989]
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	chk_01m7ffa3ta5ccb5qetagh67ppt	[0.028076172,-0.042755127,0.09509277,0.03062439,0.051330566,0.010406494,0.05444336,-0.0256958,-0.009811401,0.001991272,0.06707764,-0.016220093,-0.1262207,-0.030639648,-0.017211914,0.001627922,-0.055664062,-0.03677368,-0.02003479,-0.015434265,0.114990234,0.012489319,-0.05419922,0.05407715,0.053100586,0.054351807,-0.101867676,-0.010787964,0.0053100586,0.045684814,-0.005554199,0.03845215,-0.11401367,0.013916016,0.04058838,-0.010131836,-0.025726318,-0.055603027,0.006198883,0.057617188,0.02986145,-0.083496094,-0.0211792,-0.053375244,-0.0418396,0.012741089,0.007827759,-0.053894043,-0.041229248,-0.040496826,0.038970947,-0.001581192,-0.048065186,-0.044006348,-0.0012178421,-0.04071045,-0.038238525,0.025054932,0.053619385,0.025283813,-0.013809204,0.0051078796,0.008651733,0.03024292,-0.06518555,0.022094727,-0.019866943,-0.03970337,0.0041503906,-0.029586792,-0.044281006,0.007896423,0.062194824,-0.030838013,-0.022766113,0.06842041,0.043182373,-0.062805176,-0.034606934,-0.11566162,-0.018234253,-0.02822876,-0.060058594,0.13769531,0.053955078,0.035461426,0.06726074,-0.0017356873,0.055999756,0.022201538,-0.01448822,0.015823364,-0.020370483,0.058563232,-0.06542969,0.03652954,0.0076293945,0.015930176,-0.10986328,0.025314331,0.013916016,0.013641357,-0.015357971,-0.0446167,-0.037231445,-0.044403076,-0.013885498,0.048614502,0.007911682,-0.013580322,-0.008880615,-0.01626587,-0.072143555,-0.001540184,-0.042663574,-0.076538086,0.0440979,-0.08459473,0.03753662,0.03466797,-0.0052986145,0.05444336,0.018157959,0.060058594,-0.099975586,-0.06878662,0.0016450882,0,0.041015625,0.05203247,0.050567627,-0.041503906,0.057373047,-0.0032463074,-0.018615723,0.10144043,-0.015686035,0.006679535,-0.038360596,0.036499023,-0.02444458,0.039489746,-0.02015686,-0.026763916,0.046447754,-0.0010519028,0.006855011,-0.08831787,-0.084472656,-0.022781372,0.010559082,-0.057403564,-0.053466797,0.020904541,-0.07141113,-0.030273438,-0.040039062,0.060150146,0.040893555,-0.013893127,0.026519775,-0.022628784,-0.0287323,0.0692749,0.09472656,-0.037231445,-0.083618164,0.025115967,-0.06573486,0.07672119,0.07342529,0.051574707,-0.013908386,0.011047363,-0.053588867,0.13134766,0.09020996,0.0005364418,-0.03616333,0.014129639,0.040252686,-0.0031166077,0.0925293,0.043823242,-0.014755249,0.018569946,0.02947998,-0.043823242,0.052520752,0.026519775,-0.06793213,-0.07672119,-0.04269409,-0.024383545,0.037506104,0.0619812,-0.066345215,-0.0925293,-0.076049805,-0.0024719238,0.05871582,-0.041503906,0.018859863,0.051574707,-0.013717651,0.028945923,-0.053100586,0.032165527,-0.056121826,-0.0519104,-0.015533447,-0.051696777,0.012962341,0.0071105957,0.056152344,0.078430176,-0.010559082,0.01751709,0.022125244,0.026321411,0.07019043,-0.030441284,-0.13146973,-0,-0.011924744,0.023132324,-0.07318115,0.014297485,0.041290283,-0.03881836,0.017471313,-0.122558594,0.025604248,0.032562256,0.01600647,-0.10882568,0.017669678,-0.054260254,-0.03237915,-0.03805542,-0.025543213,0.08874512,0.0016326904,-0.007091522,-0.009750366,0.06512451,-0.043884277,0.03829956,-0.099365234,0.03781128,0.066467285,0.031829834,-0.12854004,-0.0051956177,-0.012016296,-0.0059318542,-0.008605957,0.059448242,-0.03579712,0.058685303,-0.0008597374,-0.060028076,0.0128479,0.030929565,0.043151855,-0.037719727,0.08459473,0.027572632,-0.0703125,-0.013763428,-0.024917603,-0.0135650635,0.03253174,0.05706787,0.04071045,-0.052856445,-0.11071777,0.02949524,-0.028625488,0.010932922,-0.03866577,0.024246216,-0.060394287,0.026916504,0.04156494,-0.028930664,0.03970337,0.1105957,0.01991272,-0.014076233,-0.08996582,-0.03817749,0.0071525574,0.024398804,0.055145264,0.05053711,-0.06878662,0.024642944,-0.0140686035,-0.04107666,0.062927246,0.019836426,-0.03869629,-0.022216797,0.036621094,-0.008476257,-0.05090332,0.036895752,0.021026611,-0.07519531,0.006336212,-0.030380249,-0.046661377,-0.020233154,-0.041137695,0.05984497,0.0047073364,0.057281494,0.0022621155,-0,-0.015403748,0.040649414,0.05340576,0.0914917,0.043518066,-0.046539307,0.06781006,0.032043457,-0.042785645,-0.07141113,-0.018432617,0.02532959,0.12512207,0.035888672,0.08581543,-0.041778564,0.047973633,-0.050231934,-0.013168335,-0.016418457,-0.020584106,-0.048950195,-0.005176544,-0.058502197,0.08148193,0.008491516,0.05343628,0.11755371,0.003063202,0.08862305,0.06958008,-0.0047340393,-0.009101868,0.0007748604,-0.042785645,0.004802704,-0.08062744,-0.011146545,-0.1328125,0.033569336,-0.089904785,-0.039733887,-0.0357666,0.00058078766,0.064941406,0.0009737015,0.06060791,0.012374878,-0.03112793,0.08782959,0.0569458,-0.028274536,0.1003418,0.023529053,0.01600647,-0.1373291,0.122802734,0.052886963,0.056243896,-0.025527954,0.087768555,0.05895996,0.05645752,0.020492554]
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.document (workspace_id, document_id, kb_id, kind, name, title, tags, active_version_id, latest_version_id, created_by, created_at, updated_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	doc_01m7ffa3e8m9406y1zp5sv7gta	kb_01m7ffa3bsf76s9gsd2x6t92bs	file	bees.txt	\N	{"year": ["2024"]}	ver_01m7ffa3drrgj77whmj2s7m82s	ver_01m7ffa3drrgj77whmj2s7m82s	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.223374+00	2026-11-15 11:26:04.550177+00
ws_01m7ffa38r2n85cxkt96vprj56	doc_01m7ffa3ee8qswrf5eh9kffsdx	kb_01m7ffa3bsf76s9gsd2x6t92bs	file	lighthouses.md	Lighthouses	{"year": ["2024"]}	ver_01m7ffa3dx76nmcb6wtak4adtf	ver_01m7ffa3dx76nmcb6wtak4adtf	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.225958+00	2026-11-15 11:26:04.636014+00
\.


--
-- Data for Name: document_version; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.document_version (workspace_id, version_id, document_id, number, blob_key, size_bytes, sha256, media_type, status, error, chunk_count, created_at, indexed_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	ver_01m7ffa3drrgj77whmj2s7m82s	doc_01m7ffa3e8m9406y1zp5sv7gta	1	ws_01m7ffa38r2n85cxkt96vprj56/kb_01m7ffa3bsf76s9gsd2x6t92bs/ver_01m7ffa3drrgj77whmj2s7m82s	117	\\x6de5b2730c59d2bc845140e98433e9d76599f2287d95feb3939a490de019eaea	text/plain	indexed	\N	1	2026-11-15 11:26:04.223374+00	2026-11-15 11:26:04.550177+00
ws_01m7ffa38r2n85cxkt96vprj56	ver_01m7ffa3dx76nmcb6wtak4adtf	doc_01m7ffa3ee8qswrf5eh9kffsdx	1	ws_01m7ffa38r2n85cxkt96vprj56/kb_01m7ffa3bsf76s9gsd2x6t92bs/ver_01m7ffa3dx76nmcb6wtak4adtf	144	\\x8a13668d9697c016b4075c9e94b4a39eef51ea3ed229571145707ded73d95ff9	text/markdown	indexed	\N	2	2026-11-15 11:26:04.225958+00	2026-11-15 11:26:04.636014+00
\.


--
-- Data for Name: kb_index; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.kb_index (workspace_id, index_id, kb_id, embedder, dims, analyser_version, avgdl_ref, calibration, created_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa38t615fqsd7sfd3a4cs	kb_01m7ffa38tp31jhj7t0aaxxc04	builtin:all-MiniLM-L6-v2	384	1	120	{"bias": -7.15, "dense": 13.23, "keyword": 33.2, "lexical": 9.59, "keyword_bias": -3.08}	2026-11-15 11:26:04.05717+00
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa38vc5kpgdmm7yttskvt	kb_01m7ffa38vgq2jjqgh4y8aj0k6	builtin:all-MiniLM-L6-v2	384	1	120	{"bias": -7.15, "dense": 13.23, "keyword": 33.2, "lexical": 9.59, "keyword_bias": -3.08}	2026-11-15 11:26:04.05717+00
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	kb_01m7ffa3bsf76s9gsd2x6t92bs	builtin:all-MiniLM-L6-v2	384	1	120	{"bias": -7.15, "dense": 13.23, "keyword": 33.2, "lexical": 9.59, "keyword_bias": -3.08}	2026-11-15 11:26:04.154072+00
\.


--
-- Data for Name: knowledge_base; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.knowledge_base (workspace_id, kb_id, slug, name, description, lifecycle_days, built_in, active_index_id, created_by, created_at, updated_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	kb_01m7ffa38tp31jhj7t0aaxxc04	knowledge	Knowledge	Notes written by people and agents.	0	t	idx_01m7ffa38t615fqsd7sfd3a4cs	\N	2026-11-15 11:26:04.05717+00	2026-11-15 11:26:04.05717+00
ws_01m7ffa38r2n85cxkt96vprj56	kb_01m7ffa38vgq2jjqgh4y8aj0k6	memory	Memory	What agents remember.	0	t	idx_01m7ffa38vc5kpgdmm7yttskvt	\N	2026-11-15 11:26:04.05717+00	2026-11-15 11:26:04.05717+00
ws_01m7ffa38r2n85cxkt96vprj56	kb_01m7ffa3bsf76s9gsd2x6t92bs	old-papers	Old papers		0	f	idx_01m7ffa3bz4qawejj09pn22c6t	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.154072+00	2026-11-15 11:26:04.154072+00
\.


--
-- Data for Name: member; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.member (workspace_id, user_id, role, created_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	usr_01m7ffa38qf14geemfk5n4pykv	owner	2026-11-15 11:26:04.05717+00
\.


--
-- Data for Name: operation; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.operation (workspace_id, operation_id, kind, status, progress, kb_id, document_id, version_id, error, attempts, fence, traceparent, created_by, created_at, started_at, touched_at, finished_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	op_01m7ffa3eevhmky0z47k57kmz8	index	completed	100	kb_01m7ffa3bsf76s9gsd2x6t92bs	doc_01m7ffa3e8m9406y1zp5sv7gta	ver_01m7ffa3drrgj77whmj2s7m82s	\N	1	1	\N	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.223374+00	2026-11-15 11:26:04.259975+00	2026-11-15 11:26:04.524148+00	2026-11-15 11:26:04.550177+00
ws_01m7ffa38r2n85cxkt96vprj56	op_01m7ffa3ejesw9vc93k6zc5n86	index	completed	100	kb_01m7ffa3bsf76s9gsd2x6t92bs	doc_01m7ffa3ee8qswrf5eh9kffsdx	ver_01m7ffa3dx76nmcb6wtak4adtf	\N	1	1	\N	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.225958+00	2026-11-15 11:26:04.272169+00	2026-11-15 11:26:04.621272+00	2026-11-15 11:26:04.636014+00
\.


--
-- Data for Name: procrastinate_events; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.procrastinate_events (id, job_id, type, at) FROM stdin;
1	1	deferred	2026-11-15 11:26:04.223374+00
2	2	deferred	2026-11-15 11:26:04.225958+00
3	1	started	2026-11-15 11:26:04.250977+00
4	2	started	2026-11-15 11:26:04.263221+00
5	1	succeeded	2026-11-15 11:26:04.583433+00
6	2	succeeded	2026-11-15 11:26:04.666687+00
\.


--
-- Data for Name: procrastinate_jobs; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.procrastinate_jobs (id, queue_name, task_name, priority, lock, queueing_lock, args, status, scheduled_at, attempts, abort_requested, worker_id) FROM stdin;
1	ingestion-small	index_document	0	\N	\N	{"operation_id": "op_01m7ffa3eevhmky0z47k57kmz8", "workspace_id": "ws_01m7ffa38r2n85cxkt96vprj56"}	succeeded	\N	1	f	\N
2	ingestion-small	index_document	0	\N	\N	{"operation_id": "op_01m7ffa3ejesw9vc93k6zc5n86", "workspace_id": "ws_01m7ffa38r2n85cxkt96vprj56"}	succeeded	\N	1	f	\N
\.


--
-- Data for Name: procrastinate_periodic_defers; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.procrastinate_periodic_defers (id, task_name, defer_timestamp, job_id, periodic_id) FROM stdin;
\.


--
-- Data for Name: procrastinate_workers; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.procrastinate_workers (id, last_heartbeat) FROM stdin;
\.


--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.schema_migration (name, applied_at) FROM stdin;
procrastinate/00.00.00_01_initial.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.05.00_01_drop_started_at_column.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.05.00_02_drop_started_at_column.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.05.00_03_drop_procrastinate_version_table.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.06.00_01_fix_procrastinate_fetch_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.07.01_01_fix_trigger_status_events_insert.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.08.01_01_add_queueing_lock_column.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.10.00_01_close_fetch_job_race_condition.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.10.00_02_add_defer_job_function.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.11.00_03_add_procrastinate_periodic_defers.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.12.00_01_add_foreign_key_index.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.14.00_01_add_locks_to_periodic_defer.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.15.02_01_fix_procrastinate_defer_periodic_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.16.00_01_add_finish_job_and_retry_job_functions.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.17.00_01_add_trigger_on_job_deletion.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.17.00_02_delete_finished_jobs.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.17.00_03_add_checks_to_finish_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.17.00_04_add_checks_to_retry_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.18.01_01_fix_finish_job_compat_issue.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.19.00_01_add_index_on_procrastinate_jobs.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.22.00_01_add_kwargs_to_defer_periodic_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/00.23.00_01_null_locks_excluded.sql	2026-11-15 11:26:03.871512+00
procrastinate/01.00.00_01_remove_old_finish_job_function.sql	2026-11-15 11:26:03.871512+00
procrastinate/01.01.01_01_job_id_bigint.sql	2026-11-15 11:26:03.871512+00
procrastinate/02.00.03_01_add_job_priority.sql	2026-11-15 11:26:03.871512+00
procrastinate/02.05.00_01_add_periodic_job_priority.sql	2026-11-15 11:26:03.871512+00
procrastinate/02.06.00_01_add_cancel_states.sql	2026-11-15 11:26:03.871512+00
procrastinate/02.08.00_01_add_additional_params_to_retry_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/02.14.01_01_add_indexes_for_fetch_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.00.00_01_pre_cancel_notification.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.00.00_50_post_cancel_notification.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.01.00_01_pre_add_heartbeat.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.01.00_50_post_add_heartbeat.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.02.00_01_pre_batch_defer_jobs.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.02.00_50_post_batch_defer_jobs.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.03.00_01_pre_priority_lock_fetch_job.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.04.00_01_pre_add_retry_failed_job_procedure.sql	2026-11-15 11:26:03.871512+00
procrastinate/03.04.00_50_post_add_retry_failed_job_procedure.sql	2026-11-15 11:26:03.871512+00
0001_spine	2026-11-15 11:26:03.892187+00
\.


--
-- Data for Name: sign_in_link; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.sign_in_link (token_hash, user_id, workspace_id, role, name, created_at, expires_at, used_at) FROM stdin;
\.


--
-- Data for Name: staged_embedding; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.staged_embedding (workspace_id, version_id, index_id, text_hash, embedding) FROM stdin;
\.


--
-- Data for Name: term_delta; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.term_delta (workspace_id, index_id, term, entry, chunks) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	0	1	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	30054739	2	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	30571733	3	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	38956379	4	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	53163019	5	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	83959042	6	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	124556715	7	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	133910021	8	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	154486455	9	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	189817021	10	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	190641331	11	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	240702520	12	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	289715286	13	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	306039908	14	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	322756549	15	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	342704896	16	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	356811741	17	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	406796639	18	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	446993591	19	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	453487879	20	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	503252852	21	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	512047867	22	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	0	23	2
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	38956379	24	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	94060826	25	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	94351994	26	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	118348116	27	2
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	124556715	28	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	299998988	29	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	319619883	30	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	350224957	31	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	360456788	32	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	399551679	33	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	432605559	34	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	433566606	35	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	460120294	36	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	481152604	37	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	491536164	38	1
ws_01m7ffa38r2n85cxkt96vprj56	idx_01m7ffa3bz4qawejj09pn22c6t	517685986	39	1
\.


--
-- Data for Name: user_session; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.user_session (token_hash, user_id, created_at, expires_at) FROM stdin;
\\xa87261c40b6ef3cea04bd69aeefc4be676cafc2c6076d6c04a045fbd6290d869	usr_01m7ffa38qf14geemfk5n4pykv	2026-11-15 11:26:04.053514+00	2036-11-12 11:26:04.055861+00
\.


--
-- Data for Name: workspace; Type: TABLE DATA; Schema: public; Owner: pinakes
--

COPY public.workspace (workspace_id, name, created_at) FROM stdin;
ws_01m7ffa38r2n85cxkt96vprj56	My workspace	2026-11-15 11:26:04.05717+00
\.


--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: pinakes
--

SELECT pg_catalog.setval('public.procrastinate_events_id_seq', 6, true);


--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: pinakes
--

SELECT pg_catalog.setval('public.procrastinate_jobs_id_seq', 2, true);


--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: pinakes
--

SELECT pg_catalog.setval('public.procrastinate_periodic_defers_id_seq', 1, false);


--
-- Name: procrastinate_workers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: pinakes
--

SELECT pg_catalog.setval('public.procrastinate_workers_id_seq', 2, true);


--
-- Name: term_delta_entry_seq; Type: SEQUENCE SET; Schema: public; Owner: pinakes
--

SELECT pg_catalog.setval('public.term_delta_entry_seq', 39, true);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (workspace_id, key_id);


--
-- Name: api_key api_key_workspace_id_secret_hash_key; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_workspace_id_secret_hash_key UNIQUE (workspace_id, secret_hash);


--
-- Name: app_user app_user_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.app_user
    ADD CONSTRAINT app_user_pkey PRIMARY KEY (user_id);


--
-- Name: blob blob_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.blob
    ADD CONSTRAINT blob_pkey PRIMARY KEY (workspace_id, blob_key);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (workspace_id, chunk_id);


--
-- Name: chunk_posting chunk_posting_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_posting
    ADD CONSTRAINT chunk_posting_pkey PRIMARY KEY (workspace_id, index_id, chunk_id);


--
-- Name: chunk_vector chunk_vector_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_vector
    ADD CONSTRAINT chunk_vector_pkey PRIMARY KEY (workspace_id, index_id, chunk_id);


--
-- Name: chunk chunk_workspace_id_version_id_ordinal_key; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_workspace_id_version_id_ordinal_key UNIQUE (workspace_id, version_id, ordinal);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (workspace_id, document_id);


--
-- Name: document_version document_version_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document_version
    ADD CONSTRAINT document_version_pkey PRIMARY KEY (workspace_id, version_id);


--
-- Name: document_version document_version_workspace_id_document_id_number_key; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document_version
    ADD CONSTRAINT document_version_workspace_id_document_id_number_key UNIQUE (workspace_id, document_id, number);


--
-- Name: document document_workspace_id_kb_id_name_key; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_workspace_id_kb_id_name_key UNIQUE (workspace_id, kb_id, name);


--
-- Name: kb_index kb_index_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.kb_index
    ADD CONSTRAINT kb_index_pkey PRIMARY KEY (workspace_id, index_id);


--
-- Name: knowledge_base knowledge_base_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.knowledge_base
    ADD CONSTRAINT knowledge_base_pkey PRIMARY KEY (workspace_id, kb_id);


--
-- Name: knowledge_base knowledge_base_workspace_id_slug_key; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.knowledge_base
    ADD CONSTRAINT knowledge_base_workspace_id_slug_key UNIQUE (workspace_id, slug);


--
-- Name: member member_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (workspace_id, user_id);


--
-- Name: operation operation_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.operation
    ADD CONSTRAINT operation_pkey PRIMARY KEY (workspace_id, operation_id);


--
-- Name: procrastinate_events procrastinate_events_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_jobs procrastinate_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_unique; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp);


--
-- Name: procrastinate_workers procrastinate_workers_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_workers
    ADD CONSTRAINT procrastinate_workers_pkey PRIMARY KEY (id);


--
-- Name: schema_migration schema_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);


--
-- Name: sign_in_link sign_in_link_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (token_hash);


--
-- Name: staged_embedding staged_embedding_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.staged_embedding
    ADD CONSTRAINT staged_embedding_pkey PRIMARY KEY (workspace_id, version_id, index_id, text_hash);


--
-- Name: term_delta term_delta_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.term_delta
    ADD CONSTRAINT term_delta_pkey PRIMARY KEY (workspace_id, index_id, term, entry);


--
-- Name: user_session user_session_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.user_session
    ADD CONSTRAINT user_session_pkey PRIMARY KEY (token_hash);


--
-- Name: workspace workspace_pkey; Type: CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.workspace
    ADD CONSTRAINT workspace_pkey PRIMARY KEY (workspace_id);


--
-- Name: blob_leftover; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX blob_leftover ON public.blob USING btree (workspace_id, updated_at) WHERE (state <> 'live'::text);


--
-- Name: chunk_posting_chunk; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX chunk_posting_chunk ON public.chunk_posting USING btree (workspace_id, chunk_id);


--
-- Name: chunk_posting_terms; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX chunk_posting_terms ON public.chunk_posting USING gin (terms);


--
-- Name: chunk_text; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX chunk_text ON public.chunk USING btree (workspace_id, text_hash);


--
-- Name: chunk_vector_chunk; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX chunk_vector_chunk ON public.chunk_vector USING btree (workspace_id, chunk_id);


--
-- Name: document_newest; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX document_newest ON public.document USING btree (workspace_id, kb_id, created_at DESC, document_id);


--
-- Name: idx_procrastinate_jobs_worker_not_null; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX idx_procrastinate_jobs_worker_not_null ON public.procrastinate_jobs USING btree (worker_id) WHERE ((worker_id IS NOT NULL) AND (status = 'doing'::public.procrastinate_job_status));


--
-- Name: idx_procrastinate_workers_last_heartbeat; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX idx_procrastinate_workers_last_heartbeat ON public.procrastinate_workers USING btree (last_heartbeat);


--
-- Name: kb_index_kb; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX kb_index_kb ON public.kb_index USING btree (workspace_id, kb_id);


--
-- Name: knowledge_base_name; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE UNIQUE INDEX knowledge_base_name ON public.knowledge_base USING btree (workspace_id, lower(name));


--
-- Name: member_user; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX member_user ON public.member USING btree (user_id);


--
-- Name: operation_newest; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX operation_newest ON public.operation USING btree (workspace_id, created_at DESC, operation_id);


--
-- Name: operation_unfinished; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX operation_unfinished ON public.operation USING btree (workspace_id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));


--
-- Name: operation_version; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX operation_version ON public.operation USING btree (workspace_id, version_id);


--
-- Name: procrastinate_events_job_id_fkey_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX procrastinate_events_job_id_fkey_v1 ON public.procrastinate_events USING btree (job_id);


--
-- Name: procrastinate_jobs_id_lock_idx_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON public.procrastinate_jobs USING btree (id, lock) WHERE (status = ANY (ARRAY['todo'::public.procrastinate_job_status, 'doing'::public.procrastinate_job_status]));


--
-- Name: procrastinate_jobs_lock_idx_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON public.procrastinate_jobs USING btree (lock) WHERE (status = 'doing'::public.procrastinate_job_status);


--
-- Name: procrastinate_jobs_priority_idx_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX procrastinate_jobs_priority_idx_v1 ON public.procrastinate_jobs USING btree (priority DESC, id) WHERE (status = 'todo'::public.procrastinate_job_status);


--
-- Name: procrastinate_jobs_queue_name_idx_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON public.procrastinate_jobs USING btree (queue_name);


--
-- Name: procrastinate_jobs_queueing_lock_idx_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON public.procrastinate_jobs USING btree (queueing_lock) WHERE (status = 'todo'::public.procrastinate_job_status);


--
-- Name: procrastinate_periodic_defers_job_id_fkey_v1; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON public.procrastinate_periodic_defers USING btree (job_id);


--
-- Name: sign_in_link_workspace; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX sign_in_link_workspace ON public.sign_in_link USING btree (workspace_id);


--
-- Name: user_session_user; Type: INDEX; Schema: public; Owner: pinakes
--

CREATE INDEX user_session_user ON public.user_session USING btree (user_id);


--
-- Name: procrastinate_jobs procrastinate_jobs_notify_queue_job_aborted_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN (((old.abort_requested = false) AND (new.abort_requested = true) AND (new.status = 'doing'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_notify_queue_abort_job_v1();


--
-- Name: procrastinate_jobs procrastinate_jobs_notify_queue_job_inserted_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_notify_queue_job_inserted_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_abort_requested_events_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.abort_requested = true)) EXECUTE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_delete_jobs_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_trigger_delete_jobs_v1 BEFORE DELETE ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_unlink_periodic_defers_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_scheduled_events_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_trigger_scheduled_events_v1 AFTER INSERT OR UPDATE ON public.procrastinate_jobs FOR EACH ROW WHEN (((new.scheduled_at IS NOT NULL) AND (new.status = 'todo'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_status_events_insert_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_trigger_status_events_insert_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_status_events_update_v1; Type: TRIGGER; Schema: public; Owner: pinakes
--

CREATE TRIGGER procrastinate_trigger_status_events_update_v1 AFTER UPDATE OF status ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_update_v1();


--
-- Name: api_key api_key_workspace_id_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.member(workspace_id, user_id) ON DELETE CASCADE;


--
-- Name: blob blob_workspace_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.blob
    ADD CONSTRAINT blob_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspace(workspace_id) ON DELETE CASCADE;


--
-- Name: chunk_posting chunk_posting_workspace_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_posting
    ADD CONSTRAINT chunk_posting_workspace_id_chunk_id_fkey FOREIGN KEY (workspace_id, chunk_id) REFERENCES public.chunk(workspace_id, chunk_id) ON DELETE CASCADE;


--
-- Name: chunk_posting chunk_posting_workspace_id_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_posting
    ADD CONSTRAINT chunk_posting_workspace_id_index_id_fkey FOREIGN KEY (workspace_id, index_id) REFERENCES public.kb_index(workspace_id, index_id) ON DELETE CASCADE;


--
-- Name: chunk_vector chunk_vector_workspace_id_chunk_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_vector
    ADD CONSTRAINT chunk_vector_workspace_id_chunk_id_fkey FOREIGN KEY (workspace_id, chunk_id) REFERENCES public.chunk(workspace_id, chunk_id) ON DELETE CASCADE;


--
-- Name: chunk_vector chunk_vector_workspace_id_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk_vector
    ADD CONSTRAINT chunk_vector_workspace_id_index_id_fkey FOREIGN KEY (workspace_id, index_id) REFERENCES public.kb_index(workspace_id, index_id) ON DELETE CASCADE;


--
-- Name: chunk chunk_workspace_id_version_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_workspace_id_version_id_fkey FOREIGN KEY (workspace_id, version_id) REFERENCES public.document_version(workspace_id, version_id) ON DELETE CASCADE;


--
-- Name: document_version document_version_workspace_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document_version
    ADD CONSTRAINT document_version_workspace_id_document_id_fkey FOREIGN KEY (workspace_id, document_id) REFERENCES public.document(workspace_id, document_id) ON DELETE CASCADE;


--
-- Name: document document_workspace_id_kb_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_workspace_id_kb_id_fkey FOREIGN KEY (workspace_id, kb_id) REFERENCES public.knowledge_base(workspace_id, kb_id) ON DELETE CASCADE;


--
-- Name: kb_index kb_index_workspace_id_kb_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.kb_index
    ADD CONSTRAINT kb_index_workspace_id_kb_id_fkey FOREIGN KEY (workspace_id, kb_id) REFERENCES public.knowledge_base(workspace_id, kb_id) ON DELETE CASCADE;


--
-- Name: knowledge_base knowledge_base_workspace_id_active_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.knowledge_base
    ADD CONSTRAINT knowledge_base_workspace_id_active_index_id_fkey FOREIGN KEY (workspace_id, active_index_id) REFERENCES public.kb_index(workspace_id, index_id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: knowledge_base knowledge_base_workspace_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.knowledge_base
    ADD CONSTRAINT knowledge_base_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspace(workspace_id) ON DELETE CASCADE;


--
-- Name: member member_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(user_id) ON DELETE CASCADE;


--
-- Name: member member_workspace_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspace(workspace_id) ON DELETE CASCADE;


--
-- Name: operation operation_workspace_id_version_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.operation
    ADD CONSTRAINT operation_workspace_id_version_id_fkey FOREIGN KEY (workspace_id, version_id) REFERENCES public.document_version(workspace_id, version_id) ON DELETE CASCADE;


--
-- Name: procrastinate_events procrastinate_events_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id) ON DELETE CASCADE;


--
-- Name: procrastinate_jobs procrastinate_jobs_worker_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.procrastinate_workers(id) ON DELETE SET NULL;


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id);


--
-- Name: sign_in_link sign_in_link_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(user_id) ON DELETE CASCADE;


--
-- Name: sign_in_link sign_in_link_workspace_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspace(workspace_id) ON DELETE CASCADE;


--
-- Name: staged_embedding staged_embedding_workspace_id_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.staged_embedding
    ADD CONSTRAINT staged_embedding_workspace_id_index_id_fkey FOREIGN KEY (workspace_id, index_id) REFERENCES public.kb_index(workspace_id, index_id) ON DELETE CASCADE;


--
-- Name: staged_embedding staged_embedding_workspace_id_version_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.staged_embedding
    ADD CONSTRAINT staged_embedding_workspace_id_version_id_fkey FOREIGN KEY (workspace_id, version_id) REFERENCES public.document_version(workspace_id, version_id) ON DELETE CASCADE;


--
-- Name: term_delta term_delta_workspace_id_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.term_delta
    ADD CONSTRAINT term_delta_workspace_id_index_id_fkey FOREIGN KEY (workspace_id, index_id) REFERENCES public.kb_index(workspace_id, index_id) ON DELETE CASCADE;


--
-- Name: user_session user_session_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: pinakes
--

ALTER TABLE ONLY public.user_session
    ADD CONSTRAINT user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.app_user(user_id) ON DELETE CASCADE;


--
-- Name: api_key; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

--
-- Name: blob; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.blob ENABLE ROW LEVEL SECURITY;

--
-- Name: chunk; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.chunk ENABLE ROW LEVEL SECURITY;

--
-- Name: chunk_posting; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.chunk_posting ENABLE ROW LEVEL SECURITY;

--
-- Name: chunk_vector; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.chunk_vector ENABLE ROW LEVEL SECURITY;

--
-- Name: document; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.document ENABLE ROW LEVEL SECURITY;

--
-- Name: document_version; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.document_version ENABLE ROW LEVEL SECURITY;

--
-- Name: kb_index; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.kb_index ENABLE ROW LEVEL SECURITY;

--
-- Name: knowledge_base; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.knowledge_base ENABLE ROW LEVEL SECURITY;

--
-- Name: member; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.member ENABLE ROW LEVEL SECURITY;

--
-- Name: operation; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.operation ENABLE ROW LEVEL SECURITY;

--
-- Name: member own_membership; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY own_membership ON public.member FOR SELECT USING ((user_id = ( SELECT NULLIF(current_setting('pinakes.user'::text, true), ''::text) AS "nullif")));


--
-- Name: workspace own_membership; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY own_membership ON public.workspace FOR SELECT USING ((workspace_id IN ( SELECT m.workspace_id
   FROM public.member m
  WHERE (m.user_id = ( SELECT NULLIF(current_setting('pinakes.user'::text, true), ''::text) AS "nullif")))));


--
-- Name: chunk_posting reader; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY reader ON public.chunk_posting FOR SELECT TO pinakes_reader USING (true);


--
-- Name: workspace reader; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY reader ON public.workspace FOR SELECT TO pinakes_reader USING (true);


--
-- Name: staged_embedding; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.staged_embedding ENABLE ROW LEVEL SECURITY;

--
-- Name: term_delta; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.term_delta ENABLE ROW LEVEL SECURITY;

--
-- Name: workspace; Type: ROW SECURITY; Schema: public; Owner: pinakes
--

ALTER TABLE public.workspace ENABLE ROW LEVEL SECURITY;

--
-- Name: api_key workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.api_key USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: blob workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.blob USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: chunk workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.chunk USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: chunk_posting workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.chunk_posting USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: chunk_vector workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.chunk_vector USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: document workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.document USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: document_version workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.document_version USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: kb_index workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.kb_index USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: knowledge_base workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.knowledge_base USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: member workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.member USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: operation workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.operation USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: staged_embedding workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.staged_embedding USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: term_delta workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.term_delta USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: workspace workspace_only; Type: POLICY; Schema: public; Owner: pinakes
--

CREATE POLICY workspace_only ON public.workspace USING ((workspace_id = ( SELECT NULLIF(current_setting('pinakes.workspace'::text, true), ''::text) AS "nullif")));


--
-- Name: FUNCTION posting_candidates(p_index_id text, p_terms integer[]); Type: ACL; Schema: public; Owner: pinakes_reader
--

REVOKE ALL ON FUNCTION public.posting_candidates(p_index_id text, p_terms integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.posting_candidates(p_index_id text, p_terms integer[]) TO pinakes_app;


--
-- Name: TABLE procrastinate_jobs; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.procrastinate_jobs TO pinakes_app;


--
-- Name: FUNCTION workspace_ids(); Type: ACL; Schema: public; Owner: pinakes_reader
--

REVOKE ALL ON FUNCTION public.workspace_ids() FROM PUBLIC;
GRANT ALL ON FUNCTION public.workspace_ids() TO pinakes_app;


--
-- Name: TABLE api_key; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_key TO pinakes_app;


--
-- Name: TABLE app_user; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.app_user TO pinakes_app;


--
-- Name: TABLE blob; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.blob TO pinakes_app;


--
-- Name: TABLE chunk; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.chunk TO pinakes_app;


--
-- Name: TABLE chunk_posting; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT ON TABLE public.chunk_posting TO pinakes_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.chunk_posting TO pinakes_app;


--
-- Name: TABLE chunk_vector; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.chunk_vector TO pinakes_app;


--
-- Name: TABLE document; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document TO pinakes_app;


--
-- Name: TABLE document_version; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_version TO pinakes_app;


--
-- Name: TABLE kb_index; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.kb_index TO pinakes_app;


--
-- Name: TABLE knowledge_base; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.knowledge_base TO pinakes_app;


--
-- Name: TABLE member; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.member TO pinakes_app;


--
-- Name: TABLE operation; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operation TO pinakes_app;


--
-- Name: TABLE procrastinate_events; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.procrastinate_events TO pinakes_app;


--
-- Name: SEQUENCE procrastinate_events_id_seq; Type: ACL; Schema: public; Owner: pinakes
--

GRANT USAGE ON SEQUENCE public.procrastinate_events_id_seq TO pinakes_app;


--
-- Name: SEQUENCE procrastinate_jobs_id_seq; Type: ACL; Schema: public; Owner: pinakes
--

GRANT USAGE ON SEQUENCE public.procrastinate_jobs_id_seq TO pinakes_app;


--
-- Name: TABLE procrastinate_periodic_defers; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.procrastinate_periodic_defers TO pinakes_app;


--
-- Name: SEQUENCE procrastinate_periodic_defers_id_seq; Type: ACL; Schema: public; Owner: pinakes
--

GRANT USAGE ON SEQUENCE public.procrastinate_periodic_defers_id_seq TO pinakes_app;


--
-- Name: TABLE procrastinate_workers; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.procrastinate_workers TO pinakes_app;


--
-- Name: SEQUENCE procrastinate_workers_id_seq; Type: ACL; Schema: public; Owner: pinakes
--

GRANT USAGE ON SEQUENCE public.procrastinate_workers_id_seq TO pinakes_app;


--
-- Name: TABLE schema_migration; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT ON TABLE public.schema_migration TO pinakes_app;


--
-- Name: TABLE sign_in_link; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sign_in_link TO pinakes_app;


--
-- Name: TABLE staged_embedding; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.staged_embedding TO pinakes_app;


--
-- Name: TABLE term_delta; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.term_delta TO pinakes_app;


--
-- Name: TABLE user_session; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_session TO pinakes_app;


--
-- Name: TABLE workspace; Type: ACL; Schema: public; Owner: pinakes
--

GRANT SELECT ON TABLE public.workspace TO pinakes_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workspace TO pinakes_app;


--
-- PostgreSQL database dump complete
--

\unrestrict l51AtkRDaEqor4mOvMJcKLHbjdfn0Dfg18oCVYTHGTg6euoRU1p2KFgYC31IsiP

