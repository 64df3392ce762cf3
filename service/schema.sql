CREATE FUNCTION enqueue_request(new_code_hash bytea, new_wish text, new_address text, new_message text, new_signature text, new_nonce text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (select from holder_request where code_hash = new_code_hash) then
    return 'known';
  end if;
  if (select count(*) from holder_request where completed_at is null and state = 'received') >= 1000
    or (select count(*) from holder_request where address = new_address and state = 'received') >= 3
  then
    return 'full';
  end if;
  insert into holder_request (code_hash, wish, address, message, signature, nonce)
  values (new_code_hash, new_wish, new_address, new_message, new_signature, new_nonce)
  on conflict do nothing;
  if not found then
    return 'known';
  end if;
  perform pg_notify('credence_work', '');
  return 'stored';
end
$$;

CREATE FUNCTION grams(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
$$;

CREATE FUNCTION keep_decision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' and exists (select from decision where decision_id = old.decision_id and is_foreign) then
    return old;
  end if;
  raise exception 'a decision is never changed or deleted: append one that ends it' using errcode = 'restrict_violation';
end
$$;

CREATE FUNCTION record_usage(batch jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  max_count constant bigint := 9007199254740991;
  added bigint;
begin
  if octet_length(batch::text) > 8388608
    or jsonb_typeof(batch -> 'counts') is distinct from 'array' or jsonb_array_length(batch -> 'counts') > 10000
    or jsonb_typeof(batch -> 'marks') is distinct from 'array' or jsonb_array_length(batch -> 'marks') > 10000
    or batch ->> 'node' is null or batch ->> 'sequence' is null
  then
    raise exception 'invalid batch of usage counts' using errcode = 'invalid_parameter_value';
  end if;
  lock table lock_usage in exclusive mode;
  delete from usage_batch where written_at < now() - interval '4 days';
  insert into usage_batch as stored (node, sequence)
  values ((batch ->> 'node')::uuid, (batch ->> 'sequence')::bigint)
  on conflict (node) do update set sequence = excluded.sequence, written_at = now()
  where stored.sequence < excluded.sequence;
  if not found then
    return null;
  end if;

  with incoming as (
    select day, client, endpoint, status, least(sum(requests), max_count) as requests, least(max(last_at), now()) as last_at
    from jsonb_to_recordset(batch -> 'counts')
      as count (day date, client text, endpoint text, status text, requests bigint, last_at timestamptz)
    where day between today - 2 and today + 1 and requests between 1 and max_count
      and (client in ('anonymous', 'unknown key') or exists (select from api_key where key_id = client))
    group by day, client, endpoint, status
  ), written as (
    insert into usage_count as stored (day, client, endpoint, status, requests, last_at)
    select day, client, endpoint, status, requests, last_at from incoming
    on conflict (day, client, endpoint, status) do update set
      requests = least(stored.requests + excluded.requests, max_count),
      last_at = greatest(stored.last_at, excluded.last_at)
  )
  select coalesce(sum(requests), 0) from incoming into added;

  insert into usage_mark as stored (day, kind, value, requests, last_at)
  select day, kind, value, least(sum(requests), max_count), now()
  from jsonb_to_recordset(batch -> 'marks') as mark (day date, kind text, value text, requests bigint)
  where day between today - 2 and today + 1 and requests between 1 and max_count
  group by day, kind, value
  on conflict (day, kind, value) do update set
    requests = least(stored.requests + excluded.requests, max_count), last_at = now();

  -- More than are reported, so that a value that becomes frequent during the day is not lost.
  delete from usage_mark as mark
  using (
    select day, kind, value, row_number() over (partition by day, kind order by requests desc, value) as place
    from usage_mark where day between today - 2 and today + 1
  ) as ranked
  where ranked.place > 500 and mark.day = ranked.day and mark.kind = ranked.kind and mark.value = ranked.value;
  return added;
end
$$;

CREATE FUNCTION states_of_requests(of_code_hashes bytea[]) RETURNS TABLE(code_hash bytea, wish text, state text, note text, received_at timestamp with time zone, due_at timestamp with time zone, completed_at timestamp with time zone, passport_ids bigint[], address text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select request.code_hash, request.wish, request.state, request.note, request.received_at, request.due_at,
    request.completed_at, request.passport_ids, request.address
  from holder_request as request where request.code_hash = any (of_code_hashes)
$$;

CREATE FUNCTION tell_of_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('credence_people', 'keys');
  return null;
end
$$;

CREATE FUNCTION tell_of_people() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (select count(*) from before) > 20000 then
    perform pg_notify('credence_people', '');
  else
    perform pg_notify('credence_people', string_agg(passport_id::text, ','))
    from (
      select passport_id, row_number() over () / 400 as message from (select distinct passport_id from before) as changed
    ) as numbered
    group by message;
  end if;
  return null;
end
$$;

CREATE FUNCTION waiting_requests(OUT requests integer, OUT oldest_at timestamp with time zone, OUT in_review integer, OUT oldest_in_review_at timestamp with time zone, OUT erasures_accepted integer, OUT erasures_overdue integer) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select count(*) filter (where state = 'received'),
    min(received_at) filter (where state = 'received'),
    count(*) filter (where state = 'review'),
    min(received_at) filter (where state = 'review'),
    count(*) filter (where state = 'waiting'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes')
  from holder_request where completed_at is null
$$;

CREATE TABLE api_key (
    key_id text NOT NULL,
    hash bytea NOT NULL,
    adopted boolean NOT NULL,
    label text NOT NULL,
    contact text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    points_limit integer,
    rehearsed_until timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_points_limit_check CHECK ((points_limit > 0))
);

CREATE TABLE credential_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);

CREATE TABLE decision (
    decision_id uuid DEFAULT gen_random_uuid() NOT NULL,
    decided_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    action text NOT NULL,
    decided_by text NOT NULL,
    by_role text DEFAULT SESSION_USER NOT NULL,
    passport_id bigint,
    key_id text,
    due_at timestamp with time zone,
    request uuid,
    is_foreign boolean DEFAULT false NOT NULL,
    CONSTRAINT decision_decided_by_check CHECK ((decided_by = ANY (ARRAY['operator'::text, 'holder'::text, 'worker'::text]))),
    CONSTRAINT decision_due CHECK (((due_at IS NOT NULL) = (action = ANY (ARRAY['erase'::text, 'expire key'::text])))),
    CONSTRAINT decision_foreign CHECK (((NOT is_foreign) OR (passport_id IS NOT NULL))),
    CONSTRAINT decision_key_id_check CHECK (((octet_length(key_id) >= 1) AND (octet_length(key_id) <= 64))),
    CONSTRAINT decision_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint))),
    CONSTRAINT decision_subject CHECK (
CASE
    WHEN (action = ANY (ARRAY['hide'::text, 'show'::text, 'erase'::text, 'refuse'::text, 'erased'::text, 'allow'::text])) THEN ((passport_id IS NOT NULL) AND (key_id IS NULL))
    WHEN (action = ANY (ARRAY['review'::text, 'approve'::text])) THEN ((passport_id IS NOT NULL) AND (key_id IS NULL) AND (request IS NOT NULL))
    WHEN (action = ANY (ARRAY['revoke key'::text, 'expire key'::text, 'give up key'::text])) THEN ((key_id IS NOT NULL) AND (passport_id IS NULL))
    ELSE ((action = 'restore'::text) AND (passport_id IS NULL) AND (key_id IS NULL))
END)
);

CREATE TABLE decision_end (
    ended uuid NOT NULL,
    decision_id uuid NOT NULL
);

CREATE VIEW decision_in_force AS
 SELECT decision.decision_id,
    decision.decided_at,
    decision.action,
    decision.decided_by,
    decision.by_role,
    decision.passport_id,
    decision.key_id,
    decision.due_at,
    decision.request,
    decision.is_foreign
   FROM decision
  WHERE ((decision.action = ANY (ARRAY['hide'::text, 'erase'::text, 'erased'::text])) AND (NOT (EXISTS ( SELECT
           FROM (decision_end
             JOIN decision later ON ((later.decision_id = decision_end.decision_id)))
          WHERE ((decision_end.ended = decision.decision_id) AND (decision.is_foreign OR (NOT later.is_foreign)))))));

CREATE TABLE decision_wallet (
    hash bytea NOT NULL,
    decision_id uuid NOT NULL,
    key text NOT NULL,
    CONSTRAINT decision_wallet_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT decision_wallet_key_check CHECK ((key ~ '^[0-9a-f]{16}$'::text))
);

CREATE TABLE holder_request (
    request_id bigint NOT NULL,
    request uuid DEFAULT gen_random_uuid() NOT NULL,
    code_hash bytea NOT NULL,
    wish text NOT NULL,
    address text,
    message text,
    signature text,
    nonce text,
    state text DEFAULT 'received'::text NOT NULL,
    note text,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    passport_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    approved_for bigint[],
    due_at timestamp with time zone,
    completed_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    retry_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT holder_request_address_check CHECK (((octet_length(address) >= 1) AND (octet_length(address) <= 128))),
    CONSTRAINT holder_request_code_hash_check CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT holder_request_last_error_check CHECK ((char_length(last_error) <= 1000)),
    CONSTRAINT holder_request_message_check CHECK (((octet_length(message) >= 1) AND (octet_length(message) <= 4096))),
    CONSTRAINT holder_request_nonce_check CHECK (((octet_length(nonce) >= 1) AND (octet_length(nonce) <= 128))),
    CONSTRAINT holder_request_note_check CHECK ((char_length(note) <= 1000)),
    CONSTRAINT holder_request_proof CHECK (((num_nonnulls(address, message, signature, nonce) = 4) OR ((num_nonnulls(address, message, signature, nonce) = 0) AND (completed_at IS NOT NULL)))),
    CONSTRAINT holder_request_signature_check CHECK (((octet_length(signature) >= 1) AND (octet_length(signature) <= 1024))),
    CONSTRAINT holder_request_state CHECK ((((state = ANY (ARRAY['received'::text, 'review'::text, 'waiting'::text])) AND (completed_at IS NULL)) OR ((state = ANY (ARRAY['done'::text, 'refused'::text])) AND (completed_at IS NOT NULL)))),
    CONSTRAINT holder_request_wish_check CHECK ((wish = ANY (ARRAY['hide'::text, 'show'::text, 'erase'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');

ALTER TABLE holder_request ALTER COLUMN request_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME holder_request_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE lock_epochs (
);

CREATE TABLE lock_people (
);

CREATE TABLE lock_standing (
);

CREATE TABLE lock_usage (
);

CREATE TABLE passport_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    tail text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);

CREATE TABLE people_change (
    only_row boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    unlisted_since timestamp with time zone,
    CONSTRAINT people_change_only_row_check CHECK (only_row)
);

CREATE TABLE person (
    passport_id bigint NOT NULL,
    score double precision,
    last_calculated_at timestamp(3) with time zone,
    folded_name text,
    merged boolean NOT NULL,
    credentials integer NOT NULL,
    lost_main boolean DEFAULT false NOT NULL,
    digest bytea,
    line json NOT NULL,
    CONSTRAINT person_last_calculated_at_check CHECK (((last_calculated_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_calculated_at <= '9999-12-31 23:59:59.999+00'::timestamp with time zone))),
    CONSTRAINT person_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint))),
    CONSTRAINT person_score_check CHECK (((score >= (0)::double precision) AND (score <= ('1000000000000000'::numeric)::double precision)))
)
WITH (toast_tuple_target='128');
ALTER TABLE ONLY person ALTER COLUMN line SET STATISTICS 0;

CREATE VIEW person_state AS
 SELECT decision_in_force.passport_id,
    bool_or(((decision_in_force.action = 'hide'::text) AND (decision_in_force.decided_by <> 'holder'::text))) AS hidden_by_operator,
    bool_or(((decision_in_force.action = 'hide'::text) AND (decision_in_force.decided_by = 'holder'::text))) AS hidden_by_holder,
    bool_or((decision_in_force.action = 'erase'::text)) AS erasing,
    bool_or((decision_in_force.action = 'erased'::text)) AS erased,
    bool_and(((decision_in_force.action <> 'erased'::text) OR decision_in_force.is_foreign)) AS keeps_facts
   FROM decision_in_force
  GROUP BY decision_in_force.passport_id;

CREATE TABLE person_wallet (
    address text NOT NULL,
    passport_id bigint NOT NULL,
    is_main boolean NOT NULL
);

CREATE TABLE schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE schema_migration_id_seq OWNED BY schema_migration.id;

CREATE TABLE standing (
    rank bigint NOT NULL,
    passport_id bigint,
    score double precision,
    body text,
    folded_name text
);

CREATE TABLE standing_1 (
    rank bigint NOT NULL,
    passport_id bigint,
    score double precision,
    body text,
    folded_name text
);

CREATE TABLE standing_1_keywords (
    keyword text NOT NULL COLLATE pg_catalog."C",
    people integer NOT NULL,
    ranks integer[] NOT NULL,
    anchors integer[] NOT NULL
);
ALTER TABLE ONLY standing_1_keywords ALTER COLUMN ranks SET STORAGE EXTERNAL;

CREATE TABLE standing_1_names (
    folded_name text NOT NULL,
    people integer NOT NULL,
    ranks integer[] NOT NULL
);

CREATE TABLE standing_correction (
    passport_id bigint NOT NULL
);

CREATE TABLE standing_epoch (
    epoch integer NOT NULL,
    total bigint NOT NULL,
    built_at timestamp with time zone DEFAULT now() NOT NULL,
    build_ms integer NOT NULL,
    people_change bigint NOT NULL,
    newest_score_at timestamp with time zone,
    oldest_score_at timestamp with time zone,
    score_step double precision,
    score_bins integer[],
    score_cuts double precision[]
);

CREATE TABLE standing_keywords (
    keyword text NOT NULL COLLATE pg_catalog."C",
    people integer NOT NULL,
    ranks integer[] NOT NULL,
    anchors integer[] NOT NULL
);
ALTER TABLE ONLY standing_keywords ALTER COLUMN ranks SET STORAGE EXTERNAL;

CREATE TABLE standing_names (
    folded_name text NOT NULL,
    people integer NOT NULL,
    ranks integer[] NOT NULL
);

CREATE TABLE usage_batch (
    node uuid NOT NULL,
    sequence bigint NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT usage_batch_sequence_check CHECK (((sequence >= 1) AND (sequence <= '9007199254740991'::bigint)))
);

CREATE TABLE usage_count (
    day date NOT NULL,
    client text NOT NULL,
    endpoint text NOT NULL,
    status text NOT NULL,
    requests bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT usage_count_endpoint_check CHECK (((endpoint = ANY (ARRAY['/api/v1/passports'::text, '/api/v1/passports/:id'::text, '/api/v1/passport_credentials'::text])) OR (endpoint = ANY (ARRAY['/'::text, '/leaderboard'::text, '/search'::text, '/passports/:id'::text, '/compare'::text, '/badge/:file'::text])))),
    CONSTRAINT usage_count_requests_check CHECK (((requests >= 1) AND (requests <= '9007199254740991'::bigint))),
    CONSTRAINT usage_count_status_check CHECK ((status = ANY (ARRAY['2xx'::text, '3xx'::text, '401'::text, '410'::text, '429'::text, '4xx'::text, '5xx'::text])))
);

CREATE TABLE usage_mark (
    day date NOT NULL,
    kind text NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT usage_mark_check CHECK (((value ~ '^[ -~]{1,128}$'::text) AND (value !~* 'crd_'::text) AND ((kind <> 'parameter'::text) OR (value ~ '^[A-Za-z0-9_-]{1,32}$'::text)) AND ((kind <> 'unknown key'::text) OR (value ~ '^[0-9a-f]{64}$'::text)))),
    CONSTRAINT usage_mark_kind_check CHECK ((kind = ANY (ARRAY['user agent'::text, 'origin'::text, 'parameter'::text, 'unknown key'::text, 'key in URL'::text, 'path'::text]))),
    CONSTRAINT usage_mark_path_check CHECK (((kind <> 'path'::text) OR (value ~ '^/$|^(/([a-z0-9_-]{1,32}|[*])){1,5}$'::text))),
    CONSTRAINT usage_mark_requests_check CHECK (((requests >= 1) AND (requests <= '9007199254740991'::bigint)))
);

CREATE TABLE wallet_owner (
    address text NOT NULL,
    passport_id bigint NOT NULL
);

CREATE TABLE worker_process (
    worker_id uuid DEFAULT gen_random_uuid() NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    verifies boolean NOT NULL,
    erases boolean NOT NULL,
    requests_waiting integer DEFAULT 0 NOT NULL,
    oldest_waiting_at timestamp with time zone,
    erasures_overdue integer DEFAULT 0 NOT NULL,
    file_current_at timestamp with time zone,
    is_older_than_file boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY schema_migration ALTER COLUMN id SET DEFAULT nextval('schema_migration_id_seq'::regclass);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY credential_document
    ADD CONSTRAINT credential_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY decision_end
    ADD CONSTRAINT decision_end_pkey PRIMARY KEY (ended, decision_id);

ALTER TABLE ONLY decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (decision_id);

ALTER TABLE ONLY decision_wallet
    ADD CONSTRAINT decision_wallet_pkey PRIMARY KEY (hash, decision_id);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_code_hash_key UNIQUE (code_hash);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_nonce_key UNIQUE (nonce);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_request_key UNIQUE (request);

ALTER TABLE ONLY passport_document
    ADD CONSTRAINT passport_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY people_change
    ADD CONSTRAINT people_change_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY person
    ADD CONSTRAINT person_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY person_wallet
    ADD CONSTRAINT person_wallet_pkey PRIMARY KEY (address, passport_id);

ALTER TABLE ONLY schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);

ALTER TABLE ONLY standing_1_keywords
    ADD CONSTRAINT standing_1_keywords_pkey PRIMARY KEY (keyword);

ALTER TABLE ONLY standing_1
    ADD CONSTRAINT standing_1_pkey PRIMARY KEY (rank);

ALTER TABLE ONLY standing_correction
    ADD CONSTRAINT standing_correction_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY standing_epoch
    ADD CONSTRAINT standing_epoch_pkey PRIMARY KEY (epoch);

ALTER TABLE ONLY usage_batch
    ADD CONSTRAINT usage_batch_pkey PRIMARY KEY (node);

ALTER TABLE ONLY usage_count
    ADD CONSTRAINT usage_count_pkey PRIMARY KEY (day, client, endpoint, status);

ALTER TABLE ONLY usage_mark
    ADD CONSTRAINT usage_mark_pkey PRIMARY KEY (day, kind, value);

ALTER TABLE ONLY wallet_owner
    ADD CONSTRAINT wallet_owner_pkey PRIMARY KEY (address);

ALTER TABLE ONLY worker_process
    ADD CONSTRAINT worker_process_pkey PRIMARY KEY (worker_id);

CREATE INDEX api_key_changed_at ON api_key USING btree (changed_at);

CREATE INDEX decision_decided_at ON decision USING btree (decided_at);

CREATE INDEX decision_end_decision ON decision_end USING btree (decision_id);

CREATE INDEX decision_passport ON decision USING btree (passport_id) WHERE (passport_id IS NOT NULL);

CREATE INDEX decision_request ON decision USING btree (request) WHERE (request IS NOT NULL);

CREATE INDEX decision_wallet_decision ON decision_wallet USING btree (decision_id);

CREATE INDEX holder_request_address ON holder_request USING btree (address) WHERE (address IS NOT NULL);

CREATE INDEX holder_request_completed_at ON holder_request USING btree (completed_at);

CREATE INDEX holder_request_open ON holder_request USING btree (request_id) WHERE (completed_at IS NULL);

CREATE INDEX person_wallet_odd ON person_wallet USING btree (address) WHERE ((address !~ '^(0x[0-9a-f]+|[1-9A-HJ-NP-Za-km-z]{25,64}|[a-z0-9]+1[02-9ac-hj-np-z]{6,})$'::text) OR (address ~ '^[0-9a-fA-F]{40}$'::text));

CREATE INDEX person_wallet_passport ON person_wallet USING btree (passport_id);

CREATE INDEX standing_1_names_name ON standing_1_names USING hash (folded_name);

CREATE INDEX standing_1_passport ON standing_1 USING btree (passport_id);

CREATE TRIGGER api_key_changed AFTER INSERT OR DELETE OR UPDATE ON api_key FOR EACH STATEMENT EXECUTE FUNCTION tell_of_keys();

CREATE TRIGGER credential_document_deleted AFTER DELETE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER credential_document_updated AFTER UPDATE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER decision_end_kept BEFORE DELETE OR UPDATE ON decision_end FOR EACH ROW EXECUTE FUNCTION keep_decision();

CREATE TRIGGER decision_kept BEFORE DELETE OR UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION keep_decision();

CREATE TRIGGER decision_wallet_kept BEFORE DELETE OR UPDATE ON decision_wallet FOR EACH ROW EXECUTE FUNCTION keep_decision();

CREATE TRIGGER passport_document_deleted AFTER DELETE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_document_updated AFTER UPDATE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER wallet_owner_deleted AFTER DELETE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER wallet_owner_updated AFTER UPDATE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

ALTER TABLE ONLY decision_end
    ADD CONSTRAINT decision_end_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decision(decision_id);

ALTER TABLE ONLY decision_wallet
    ADD CONSTRAINT decision_wallet_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decision(decision_id);
