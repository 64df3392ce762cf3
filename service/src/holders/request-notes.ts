// Notes name no other person: who else lists a wallet is not for the holder to learn.
export const NOTES = {
  gone: "The passport does not list this wallet any more.",
  main: "Only the main wallet of the record can ask for this.",
  changed:
    "The wallet that asked is no longer the main wallet of the record. It stays hidden until the operator decides.",
  hiddenByOperator: "The operator hid this record. Write to the operator.",
  erasure: "The main wallet asked to erase this record.",
  review: "The operator decides on this request.",
  others: "The request could affect another record, so the operator decides on it.",
  unverifiable:
    "This server cannot check the request at the moment: its settings changed. It tries again for 7 days. You can also ask again.",
  expired: "This server could not check the request for 7 days. Ask again.",
  postponed:
    "A request to withdraw this erasure could not be checked for 7 days. The record stays hidden until the operator decides.",
  clock: "A clock of the server was wrong. Sign again.",
  nothing: "No request was open.",
  askAgain: "The data was restored from a backup before this request was processed. Ask again.",
  restored: "This request may have ended before the data was restored from a backup. The operator decides on it.",
} as const;
