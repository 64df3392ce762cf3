CREATE FUNCTION forget_source() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.source_digest := null;
  return new;
end
$$;

CREATE FUNCTION grams(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
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

CREATE TABLE api_key (
    key_id text NOT NULL,
    hash bytea NOT NULL,
    adopted boolean NOT NULL,
    label text NOT NULL,
    contact text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32))
);

CREATE TABLE audit (
    at timestamp with time zone DEFAULT now() NOT NULL,
    action text NOT NULL,
    passport_id bigint NOT NULL,
    merged_into bigint,
    by_role text DEFAULT SESSION_USER NOT NULL,
    CONSTRAINT audit_action_check CHECK ((action = ANY (ARRAY['hide'::text, 'unhide'::text, 'erase'::text, 'merge'::text, 'unmerge'::text])))
);

CREATE TABLE credential (
    passport_id bigint NOT NULL,
    id text NOT NULL,
    earned_at text,
    category text NOT NULL,
    last_calculated_at timestamp(3) with time zone,
    max_score double precision NOT NULL,
    score double precision NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    value text,
    CONSTRAINT credential_earned_at_check CHECK ((char_length(earned_at) <= 64)),
    CONSTRAINT credential_last_calculated_at_check CHECK (((last_calculated_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_calculated_at <= '9999-12-31 23:59:59.999+00'::timestamp with time zone))),
    CONSTRAINT credential_max_score_check CHECK (((max_score >= (0)::double precision) AND (max_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT credential_score_check CHECK (((score >= (0)::double precision) AND (score <= ('1000000000000000'::numeric)::double precision)))
);

CREATE TABLE credential_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);
ALTER TABLE ONLY credential_document ALTER COLUMN body SET COMPRESSION lz4;

CREATE TABLE lock_epochs (
);

CREATE TABLE lock_people (
);

CREATE TABLE lock_standing (
);

CREATE TABLE opt_out (
    passport_id bigint NOT NULL,
    opted_out_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT opt_out_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint)))
);

CREATE TABLE opt_out_wallet (
    hash bytea NOT NULL,
    key text NOT NULL,
    passport_id bigint NOT NULL,
    applied boolean DEFAULT false NOT NULL,
    CONSTRAINT opt_out_wallet_hash_check CHECK ((octet_length(hash) = 32))
);

CREATE TABLE passport (
    passport_id bigint NOT NULL,
    activity_score double precision NOT NULL,
    identity_score double precision NOT NULL,
    skills_score double precision NOT NULL,
    score double precision,
    calculating_score boolean NOT NULL,
    connections_count bigint NOT NULL,
    human_checkmark boolean NOT NULL,
    last_calculated_at timestamp(3) with time zone,
    bio text,
    display_name text,
    folded_name text,
    location text,
    tags text[] NOT NULL,
    merged boolean NOT NULL,
    merged_into bigint,
    hidden boolean DEFAULT false NOT NULL,
    source_digest bytea,
    CONSTRAINT passport_activity_score_check CHECK (((activity_score >= (0)::double precision) AND (activity_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_check CHECK ((((merged_into >= 1) AND (merged_into <= '9007199254740991'::bigint)) AND (merged_into <> passport_id))),
    CONSTRAINT passport_connections_count_check CHECK (((connections_count >= 0) AND (connections_count <= '9007199254740991'::bigint))),
    CONSTRAINT passport_identity_score_check CHECK (((identity_score >= (0)::double precision) AND (identity_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_last_calculated_at_check CHECK (((last_calculated_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_calculated_at <= '9999-12-31 23:59:59.999+00'::timestamp with time zone))),
    CONSTRAINT passport_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint))),
    CONSTRAINT passport_score_check CHECK (((score >= (0)::double precision) AND (score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_skills_score_check CHECK (((skills_score >= (0)::double precision) AND (skills_score <= ('1000000000000000'::numeric)::double precision)))
);

CREATE TABLE passport_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    tail text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);
ALTER TABLE ONLY passport_document ALTER COLUMN body SET COMPRESSION lz4;
ALTER TABLE ONLY passport_document ALTER COLUMN tail SET COMPRESSION lz4;

CREATE TABLE passport_wallet (
    passport_id bigint NOT NULL,
    "position" smallint NOT NULL,
    address text NOT NULL,
    CONSTRAINT passport_wallet_position_check CHECK (("position" >= 0))
);

CREATE TABLE people_change (
    only_row boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT people_change_only_row_check CHECK (only_row)
);

CREATE TABLE recalculation_due (
    passport_id bigint NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE recalculation_of_all (
    after bigint NOT NULL,
    up_to bigint,
    begun_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE recalculation_set_aside (
    passport_id bigint NOT NULL,
    set_aside_at timestamp with time zone DEFAULT now() NOT NULL,
    reason text NOT NULL
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

CREATE TABLE score_change (
    passport_id bigint NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    cause text NOT NULL,
    waiting boolean NOT NULL,
    from_score double precision,
    to_score double precision,
    from_activity_score double precision NOT NULL,
    to_activity_score double precision NOT NULL,
    from_identity_score double precision NOT NULL,
    to_identity_score double precision NOT NULL,
    from_skills_score double precision NOT NULL,
    to_skills_score double precision NOT NULL,
    credentials jsonb NOT NULL,
    CONSTRAINT score_change_cause_check CHECK ((cause = ANY (ARRAY['import'::text, 'recalculation'::text])))
);

CREATE TABLE social (
    passport_id bigint NOT NULL,
    "position" smallint NOT NULL,
    follower_count text,
    following_count text,
    location text,
    profile_bio text,
    profile_display_name text,
    profile_image_url text,
    profile_name text,
    profile_url text,
    source text NOT NULL,
    CONSTRAINT social_position_check CHECK (("position" >= 1))
);

CREATE TABLE standing (
    rank bigint NOT NULL,
    passport_id bigint NOT NULL,
    body text NOT NULL,
    folded_name text
);
ALTER TABLE ONLY standing ALTER COLUMN body SET COMPRESSION lz4;

CREATE TABLE standing_1 (
    rank bigint NOT NULL,
    passport_id bigint NOT NULL,
    body text NOT NULL,
    folded_name text
);
ALTER TABLE ONLY standing_1 ALTER COLUMN body SET COMPRESSION lz4;

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
    people_change bigint NOT NULL
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

CREATE TABLE wallet_owner (
    address text NOT NULL,
    passport_id bigint NOT NULL
);

ALTER TABLE ONLY schema_migration ALTER COLUMN id SET DEFAULT nextval('schema_migration_id_seq'::regclass);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY credential_document
    ADD CONSTRAINT credential_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY credential
    ADD CONSTRAINT credential_pkey PRIMARY KEY (passport_id, id);

ALTER TABLE ONLY opt_out
    ADD CONSTRAINT opt_out_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY opt_out_wallet
    ADD CONSTRAINT opt_out_wallet_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY passport_document
    ADD CONSTRAINT passport_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY passport
    ADD CONSTRAINT passport_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY passport_wallet
    ADD CONSTRAINT passport_wallet_pkey PRIMARY KEY (passport_id, "position");

ALTER TABLE ONLY people_change
    ADD CONSTRAINT people_change_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY recalculation_due
    ADD CONSTRAINT recalculation_due_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY recalculation_of_all
    ADD CONSTRAINT recalculation_of_all_pkey PRIMARY KEY (after);

ALTER TABLE ONLY recalculation_set_aside
    ADD CONSTRAINT recalculation_set_aside_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);

ALTER TABLE ONLY social
    ADD CONSTRAINT social_pkey PRIMARY KEY (passport_id, "position");

ALTER TABLE ONLY standing_1_keywords
    ADD CONSTRAINT standing_1_keywords_pkey PRIMARY KEY (keyword);

ALTER TABLE ONLY standing_1
    ADD CONSTRAINT standing_1_pkey PRIMARY KEY (rank);

ALTER TABLE ONLY standing_correction
    ADD CONSTRAINT standing_correction_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY standing_epoch
    ADD CONSTRAINT standing_epoch_pkey PRIMARY KEY (epoch);

ALTER TABLE ONLY wallet_owner
    ADD CONSTRAINT wallet_owner_pkey PRIMARY KEY (address);

CREATE INDEX api_key_changed_at ON api_key USING btree (changed_at);

CREATE INDEX audit_at ON audit USING btree (at);

CREATE INDEX opt_out_wallet_passport ON opt_out_wallet USING btree (passport_id);

CREATE INDEX passport_merged_into ON passport USING btree (merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX passport_wallet_address ON passport_wallet USING btree (address);

CREATE INDEX recalculation_due_order ON recalculation_due USING btree (due_at, passport_id);

CREATE UNIQUE INDEX recalculation_of_all_rest ON recalculation_of_all USING btree (((up_to IS NULL))) WHERE (up_to IS NULL);

CREATE INDEX score_change_changed_at ON score_change USING btree (changed_at);

CREATE INDEX score_change_passport ON score_change USING btree (passport_id, changed_at);

CREATE INDEX score_change_waiting ON score_change USING btree (passport_id) WHERE waiting;

CREATE INDEX standing_1_names_name ON standing_1_names USING hash (folded_name);

CREATE INDEX standing_1_passport ON standing_1 USING btree (passport_id);

CREATE TRIGGER credential_document_deleted AFTER DELETE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER credential_document_updated AFTER UPDATE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_document_deleted AFTER DELETE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_document_updated AFTER UPDATE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_forgets_source BEFORE UPDATE ON passport FOR EACH ROW WHEN ((NOT (old.source_digest IS DISTINCT FROM new.source_digest))) EXECUTE FUNCTION forget_source();

CREATE TRIGGER wallet_owner_deleted AFTER DELETE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER wallet_owner_updated AFTER UPDATE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();
