import type { PassportDetail, PassportSocial } from "@credence/contract/passport.ts";
import { html, type Link, link, type Safe } from "../html.ts";
import { whole } from "./figures.ts";

/** Longer digits would not be exact as a number. */
const COUNT = /^\d{1,15}$/;

/** Profiles on social networks. No picture of them is loaded: their servers would learn who is looked up. */
export const profileSection = ({ passport_socials: profiles }: PassportDetail): Safe | null =>
  profiles.length === 0
    ? null
    : html`<section aria-labelledby="socials">
<h2 id="socials">Elsewhere</h2>
<ul class="plain-list">
${profiles.map(profileItem)}</ul>
</section>
`;

function profileItem(profile: PassportSocial): Safe {
  const name = html`<bdi>${profile.profile_name || profile.profile_display_name || "no name"}</bdi>`;
  const url = secureLink(profile.profile_url);
  const counts = [
    ...countText(profile.follower_count, (count) => html`${count} followers`),
    ...(url === null && profile.profile_url
      ? [html`its address is not a secure web address, so it is not linked`]
      : []),
  ];
  return html`<li>${url === null ? name : html`<a href="${url}" rel="nofollow noopener noreferrer ugc">${name}</a>`} <span class="soft small"><bdi>${profile.source}</bdi>${counts.map((text) => html`, ${text}`)}</span></li>
`;
}

/** V1 sends counts as text. */
function countText(text: string | null, describe: (count: Safe) => Safe): Safe[] {
  if (text === null || text === "") return [];
  return [describe(COUNT.test(text) ? html`${whole(Number(text))}` : html`<bdi>${text}</bdi>`)];
}

/** Null for an address with another scheme, such as `javascript:`. */
function secureLink(text: string | null): Link | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" ? link(url.href) : null;
}
