import type { Credential } from "@credence/contract/credential.ts";
import type { Person } from "@credence/contract/person.ts";
import { inventPerson } from "#demo/invent/person.ts";
import { randomFrom } from "#demo/invent/random.ts";

const SCRIPT = `<script>alert(1)</script><img src=x onerror=alert(1)>"'><svg onload=alert(1)>`;
const BIDI = "\u202Eevil\u2066\u2069\u2069 \u202Egnp.exe";
const OTHER_ORIGIN = "https://tracker.example/pixel.png";

const base = (passportId: number): Person => inventPerson(randomFrom(1, passportId), passportId);

function withTexts(passportId: number, text: string, url: string): Person {
  const person = base(passportId);
  const [credential] = person.credentials;
  const social = {
    ...{ follower_count: text, following_count: text, location: text, profile_bio: text, source: text },
    ...{ profile_display_name: text, profile_image_url: OTHER_ORIGIN, profile_name: text, profile_url: url },
  };
  Object.assign(person.passport, {
    passport_profile: { bio: text, display_name: text, location: text, tags: [text, text] },
    passport_socials: [social, { ...social, profile_url: OTHER_ORIGIN }],
  });
  person.credentials = [
    {
      ...(credential as Credential),
      id: "texts",
      category: text,
      name: text,
      type: text,
      value: text,
      earned_at: null,
    },
    ...person.credentials.slice(1),
  ];
  return person;
}

/** Credentials with every relation of points and maximum. */
function withOddCredentials(passportId: number): Person {
  const person = base(passportId);
  const [first] = person.credentials as [Credential];
  person.credentials = [
    { ...first, id: "a", score: 18.5, max_score: 15 },
    { ...first, id: "b", score: 4, max_score: 0 },
    { ...first, id: "c", score: 0, max_score: 20 },
    { ...first, id: "d", score: 0.00001, max_score: 5, earned_at: "spring 2022" },
    { ...first, id: "e", score: 1e15, max_score: 1, category: "一个以前没有见过的种类" },
  ];
  Object.assign(person.passport, { score: 50, activity_score: 1e15 });
  return person;
}

function withManyCredentials(passportId: number): Person {
  const person = base(passportId);
  const [first] = person.credentials as [Credential];
  person.credentials = Array.from({ length: 500 }, (_, index) => ({
    ...first,
    id: `c${index}`,
    score: index % 20,
    max_score: 20,
  }));
  return person;
}

export const HOSTILE = { script: 9001, bidi: 9002, long: 9003, links: 9004, bars: 9005, many: 9006 };

/** People who try to run a script, load something, or break the layout. */
export const inventHostilePeople = (): Person[] => [
  withTexts(HOSTILE.script, SCRIPT, "https://social.example/a"),
  withTexts(HOSTILE.bidi, BIDI, "https://social.example/b"),
  // The longest texts that an import accepts.
  withTexts(HOSTILE.long, "W".repeat(60), `https://social.example/${"x".repeat(900)}`),
  withTexts(HOSTILE.links, "Click me", "javascript:alert(1)"),
  withOddCredentials(HOSTILE.bars),
  withManyCredentials(HOSTILE.many),
];
