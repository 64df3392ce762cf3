/** SQL that formats a timestamp as V1 does, in UTC regardless of the session's time zone. */
export const formattedTimestamp = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;
