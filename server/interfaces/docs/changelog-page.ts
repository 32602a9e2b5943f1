import type { Release } from '../../../client/contract.gen.ts'
import type { Contract } from '../../platform/calls/contract.ts'
import { html } from './page/html.ts'
import { type Page, renderInlineMarkdown, type Site } from './page/page.ts'

export function renderChangelogPage(site: Site, contract: Contract): Page {
  const releases = (contract.document['x-changelog'] ?? []) as Release[]
  return {
    title: 'Changelog',
    section: '/changelog',
    content: html`<h1>Changelog</h1>
<p>A major version only receives additions. Operations and fields that the next major version removes are announced here
first. Until then, their responses have the headers <code>Deprecation</code> and <code>Sunset</code>. The changelog is also
available from <a href="${site.docs}/operations/getChangelog"><code>getChangelog</code></a> and as a
<a href="${site.docs}/changelog.atom">feed</a>.</p>
${releases.map(
  ({ version, date, changes }) => html`<h2 id="${version}">${version} <small>${date}</small></h2>
<ul>${changes.map(
    ({ kind, description, operations }) => html`<li><b>${kind}</b> ${renderInlineMarkdown(description)}
${operations.map((id) => html` <a href="${site.docs}/operations/${id}"><code>${id}</code></a>`)}</li>\n`,
  )}</ul>`,
)}`,
  }
}
