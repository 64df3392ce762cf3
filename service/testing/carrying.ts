import type { Person } from "@credence/contract/person.ts";

/** The person with values of the three carried fields; some have none, or a URL that is not https. */
export function carrying(person: Person, at: number): Person {
  const { passport } = person;
  const urls = [`https://images.example/${at}.png?a=1&b="`, null, `http://images.example/${at}.png`];
  return {
    ...person,
    passport: {
      ...passport,
      ...(at % 5 !== 4 && { verified: [true, false, null][at % 3] ?? null }),
      passport_profile: {
        ...passport.passport_profile,
        ...(at % 7 !== 6 && { name: at % 2 === 0 ? `Name <${at}> 🜁 "\\` : null, image_url: urls[at % 3] ?? null }),
      },
    },
  };
}
