/** What servers call their connections, in pg_stat_activity. */
export const SERVER = "credence serve";
