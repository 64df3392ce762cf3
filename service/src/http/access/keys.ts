/** Whether a request may pass by its X-API-KEY header. No key is fine; no key has been issued, so a presented one is not. */
export function mayPass(apiKey: string | string[] | undefined): boolean {
  return apiKey === undefined || apiKey === "";
}
