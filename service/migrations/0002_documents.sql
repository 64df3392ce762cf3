-- Documents: the exact bytes V1 sends, made from facts in the transaction that changes them. A hidden person has none.

create table passport_document (
  passport_id bigint primary key,
  -- The person as an item of the list.
  body text compression lz4 not null,
  -- What stands in place of body's closing brace to make the single-passport record.
  tail text compression lz4 not null,
  -- Of the whole single-passport answer.
  etag text not null,
  -- The version of the presenter that wrote the document.
  presenter integer not null
);

create table credential_document (
  passport_id bigint primary key,
  -- The whole answer.
  body text compression lz4 not null,
  etag text not null,
  presenter integer not null
);

-- Whom a wallet leads to: what look-ups use. The passport may be hidden or not here, and then it leads nowhere.
create table wallet_owner (
  address text primary key,
  passport_id bigint not null
);
