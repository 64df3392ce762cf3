/** Whether a path belongs to the requests of holders: no other site may send or read anything there. */
export const isHolderPath = (url: string): boolean => /^\/+holder(?:[/?#]|$)/.test(url);
