import type { Frame } from "../frame.ts";
import { html, link, type Safe } from "../html.ts";
import { layout } from "../layout.ts";

export const aboutPage = (frame: Frame, version: string): Safe => {
  const { links } = frame;
  const { operator } = frame.settings;
  return layout(frame, {
    title: "About: Credence",
    description: "Who runs this server, what it stores, and how to have a record hidden or erased.",
    current: "about",
    main: html`<section class="card">
<h1>About this server</h1>
<p>This server keeps the first version (V1) of a professional-reputation API available. A passport is a person’s record: a score, what it is made of, and the wallets and profiles it was calculated from. The program is Credence ${version}, an independent implementation.</p>
<dl class="facts">
<dt>Run by</dt><dd>${operator.name === null ? "not given" : html`<bdi>${operator.name}</bdi>`}</dd>
<dt>Contact</dt><dd>${contactLink(operator.contact)}</dd>
<dt>Privacy</dt><dd>${operator.privacyUrl === null ? "no notice is given" : html`<a href="${link(operator.privacyUrl)}">Privacy notice</a>`}</dd>
</dl>
</section>
<section aria-labelledby="record">
<h2 id="record">Your record</h2>
<p>If a record is about you, the API sends all that is stored of it, and its page shows why the score is what it is. You can have the record hidden or erased. A wallet of the record is the proof that it is yours: <a href="${links.holder}">your record</a>.</p>
</section>
<section aria-labelledby="stored">
<h2 id="stored">What is stored</h2>
<p>Scores, profile, wallets, profiles elsewhere and credentials, as they were imported. Requests are counted without addresses. These pages set no cookies, and load nothing from other servers. Your browser remembers only the theme that you choose.</p>
</section>`,
  });
};

export const contactLink = (contact: string | null): Safe =>
  contact === null
    ? html`not given`
    : html`<a href="${link(contact)}"><bdi>${contact.replace(/^mailto:/, "")}</bdi></a>`;
