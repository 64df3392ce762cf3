import type { Credential } from "@credence/contract/credential.ts";
import type { PassportSocial } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { CATALOGUE, type CredentialKind } from "./catalogue.ts";
import { inventName } from "./names.ts";
import type { Random } from "./random.ts";

const LOCATIONS = [
  "Lagos",
  "São Paulo",
  "Kraków",
  "Nairobi",
  "Hà Nội",
  "Montréal",
  "东京",
  "Athens",
  "Reykjavík",
] as const;
const TAGS = ["developer", "designer", "founder", "researcher", "writer", "student"] as const;
const SOURCES = ["farcaster", "lens", "github", "linkedin", "twitter", "basename"] as const;

const DAY_MS = 86_400_000;
/** The day of the last update of the original service. No invented score is calculated later. */
const LAST_DAY_MS = Date.UTC(2025, 2, 31);

const momentBefore = (random: Random, endMs: number, days: number): string =>
  new Date(endMs - random.int(0, days * DAY_MS - 1)).toISOString();

export function inventWallet(random: Random): string {
  return `0x${random.hex(40)}`;
}

export function inventPerson(random: Random, passportId: number): Person {
  const name = inventName(random);
  const calculatedAt = momentBefore(random, LAST_DAY_MS, 400);
  const credentials = inventCredentials(random, 5 + Math.floor(36 * random.fraction() ** 2.45), calculatedAt);
  const wallets = Array.from({ length: random.int(1, 4) }, () => inventWallet(random));
  return {
    passport: {
      ...sumScores(credentials),
      calculating_score: false,
      connections_count: random.int(0, 300),
      human_checkmark: random.chance(0.4),
      last_calculated_at: calculatedAt,
      main_wallet: wallets[0] ?? null,
      passport_id: passportId,
      passport_profile: {
        bio: random.chance(0.7) ? `${name} likes things that last.` : null,
        display_name: name,
        location: random.chance(0.6) ? random.pick(LOCATIONS) : null,
        tags: TAGS.filter(() => random.chance(0.25)),
      },
      verified_wallets: wallets,
      merged: false,
      passport_socials: inventSocials(random, name),
    },
    credentials,
  };
}

/** Returns `count` credentials. No kind repeats before all kinds are used. */
export function inventCredentials(random: Random, count: number, calculatedAt: string): Credential[] {
  // Most people have a low activity, so scores have a long tail, and low scores have many ties.
  const activity = 0.04 + 0.96 * random.fraction() ** 4;
  const first = random.int(0, CATALOGUE.length - 1);
  return Array.from({ length: count }, (_, index) => {
    const kind = CATALOGUE[(first + index * 7) % CATALOGUE.length] ?? CATALOGUE[0];
    const round = Math.floor(index / CATALOGUE.length);
    return inventCredential(
      random,
      kind,
      round === 0 ? kind.type : `${kind.type}_${round + 1}`,
      activity,
      calculatedAt,
    );
  });
}

function inventCredential(
  random: Random,
  kind: CredentialKind,
  id: string,
  activity: number,
  calculatedAt: string,
): Credential {
  const part = activity * (0.5 + random.fraction());
  const score = random.chance(0.2) ? 0 : Math.min(kind.max_score, Math.ceil(kind.max_score * 2 * part) / 2);
  return {
    id,
    earned_at: score === 0 ? null : momentBefore(random, Date.parse(calculatedAt), 1_500),
    category: kind.category,
    last_calculated_at: calculatedAt,
    max_score: kind.max_score,
    score,
    name: kind.name,
    type: kind.type,
    value: score === 0 ? null : `${random.int(1, 900)} ${kind.unit}`,
  };
}

/** Each category is the sum of its credentials. The score is the sum of the three categories. */
export function sumScores(credentials: readonly Credential[]) {
  const sum = (category: string) =>
    credentials.filter((credential) => credential.category === category).reduce((total, { score }) => total + score, 0);
  const [activity_score, identity_score, skills_score] = [sum("Activity"), sum("Identity"), sum("Skills")];
  return { activity_score, identity_score, skills_score, score: activity_score + identity_score + skills_score };
}

/** Returns up to three accounts, each of a different network. */
function inventSocials(random: Random, name: string): PassportSocial[] {
  const first = random.int(0, SOURCES.length - 1);
  return Array.from({ length: random.int(0, 3) }, (_, index) =>
    inventSocial(random, SOURCES[(first + index) % SOURCES.length] ?? SOURCES[0], name),
  );
}

function inventSocial(random: Random, source: string, name: string): PassportSocial {
  const handle = `${source}-${random.hex(6)}`;
  return {
    follower_count: random.chance(0.9) ? String(random.int(0, 20_000)) : null,
    following_count: random.chance(0.9) ? String(random.int(0, 2_000)) : null,
    location: null,
    profile_bio: random.chance(0.5) ? "gm" : null,
    profile_display_name: name,
    profile_image_url: `https://images.example/${handle}.png`,
    profile_name: handle,
    profile_url: `https://${source}.example/${handle}`,
    source,
  };
}
