import type { PassportCredentials, PassportList, SinglePassport } from "./answers.ts";
import type { Passport } from "./passport.ts";

const passport: Passport = {
  activity_score: 30,
  identity_score: 12.5,
  skills_score: 40,
  score: 82.5,
  calculating_score: false,
  connections_count: 17,
  human_checkmark: true,
  last_calculated_at: "2024-07-29T15:51:28.071Z",
  main_wallet: "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
  passport_id: 1,
  passport_profile: {
    bio: "Builds bridges, some of them digital.",
    display_name: "Ada Okafor",
    location: "Lagos",
    tags: ["developer"],
  },
  verified_wallets: ["0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"],
};

export const EXAMPLES: { list: PassportList; single: SinglePassport; credentials: PassportCredentials } = {
  list: { passports: [passport], pagination: { current_page: 1, last_page: 1, total: 1 } },
  single: {
    passport: {
      ...passport,
      merged: false,
      passport_socials: [
        {
          follower_count: "1024",
          following_count: "128",
          location: null,
          profile_bio: "gm",
          profile_display_name: "Ada",
          profile_image_url: "https://images.example/ada.png",
          profile_name: "ada.lens",
          profile_url: "https://lens.example/ada",
          source: "lens",
        },
      ],
    },
  },
  credentials: {
    passport_credentials: [
      {
        id: "active_wallet",
        earned_at: "2024-01-15T00:00:00.000Z",
        category: "Activity",
        last_calculated_at: "2024-07-29T15:51:28.071Z",
        max_score: 20,
        score: 15,
        name: "Active wallet",
        type: "active_wallet",
        value: "212 transactions",
      },
    ],
  },
};
