/** Rights of the serving role. Each feature states those on its own tables and functions. */
export type Grants = {
  /** Tables that it may read as a whole. */
  tables?: readonly string[];
  /** Columns that it may read, by table. */
  columns?: Readonly<Record<string, readonly string[]>>;
  /** Functions that it may execute. It can write through these only. */
  functions?: readonly string[];
};
