const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** `30 June 2027`, with the time in UTC unless it is midnight. The same on every machine, whatever its locale. */
export function dateInWords(date: Date): string {
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  const time = date.toISOString().slice(11, 16);
  return time === "00:00" ? day : `${day}, ${time} UTC`;
}
