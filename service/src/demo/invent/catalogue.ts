export type CredentialKind = { type: string; name: string; category: string; max_score: number; unit: string };

const kind = (category: string, type: string, name: string, max_score: number, unit: string): CredentialKind => ({
  type,
  name,
  category,
  max_score,
  unit,
});

/** The kinds of credentials of invented people. */
export const CATALOGUE: readonly [CredentialKind, ...CredentialKind[]] = [
  kind("Activity", "active_wallet", "Active wallet", 20, "transactions"),
  kind("Activity", "base_activity", "Activity on an L2", 12, "transactions"),
  kind("Activity", "arbitrum_activity", "Activity on another L2", 8, "transactions"),
  kind("Activity", "optimism_activity", "Activity on a rollup", 8, "transactions"),
  kind("Activity", "galxe", "Quests finished", 6, "quests"),
  kind("Activity", "gitcoin", "Grants supported", 15, "grants"),
  kind("Activity", "bountycaster", "Bounties answered", 10, "bounties"),
  kind("Identity", "ens", "Name on chain", 5, "names"),
  kind("Identity", "basename", "Name on an L2", 5, "names"),
  kind("Identity", "farcaster", "Social account, open protocol", 8, "followers"),
  kind("Identity", "lens", "Social account, social graph", 8, "followers"),
  kind("Identity", "linkedin", "Professional network account", 4, "connections"),
  kind("Identity", "worldcoin", "Proof of a single person", 20, "proofs"),
  kind("Identity", "coinbase_verified_id", "Verified identity", 10, "proofs"),
  kind("Skills", "github", "Source code account", 12, "repositories"),
  kind("Skills", "crypto_developer", "Contracts deployed", 30, "contracts"),
  kind("Skills", "base_builder", "Builder", 16, "releases"),
  kind("Skills", "developer_dao", "Member of a developers' guild", 5, "memberships"),
  kind("Skills", "eth_global", "Hackathons", 14, "hackathons"),
  kind("Skills", "base_learn", "Courses finished", 9, "courses"),
];
