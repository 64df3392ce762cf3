/** Stands for a key in examples. */
export const PLACEHOLDER_KEY = "YOUR_KEY";

/** Within single quotes, only a single quote is special to a shell. */
export const curl = (url: string, withKey: boolean): string =>
  `curl -s${withKey ? ` -H 'X-API-KEY: ${PLACEHOLDER_KEY}'` : ""} '${url.replaceAll("'", "%27")}'`;
