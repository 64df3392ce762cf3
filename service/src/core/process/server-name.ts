/** What servers call their connections, in pg_stat_activity. */
export const SERVER = "credence serve";
/** Started with an option of version 0.1, which promised several processes. */
export const SERVER_WITH_WORKERS = `${SERVER} --workers`;
