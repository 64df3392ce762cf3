/** SQL that prints a moment the way V1 shows it, whatever the time zone of the session. */
export const formattedTimestamp = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;
