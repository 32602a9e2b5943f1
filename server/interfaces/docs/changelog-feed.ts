import type { Release } from '../../../client/contract.gen.ts'
import type { Contract } from '../../platform/calls/contract.ts'
import type { Site } from './page/page.ts'

/** Returns the changelog as an Atom feed (RFC 4287), for readers who want to be notified of releases. */
export function changelogFeed(site: Site, contract: Contract): string {
  const releases = (contract.document['x-changelog'] ?? []) as Release[]
  const page = `${site.url}/docs/changelog`
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${xml(site.title)} changelog</title>
  <id>${xml(page)}</id>
  <link href="${xml(page)}"/>
  <link rel="self" href="${xml(`${page}.atom`)}"/>
  <updated>${instantOf(releases[0])}</updated>
  <author><name>${xml(site.title)}</name></author>
${releases.map((release) => entry(page, release)).join('')}</feed>
`
}

function entry(page: string, release: Release): string {
  const { version, changes } = release
  const text = changes.map(({ kind, description, operations }) => {
    const concerned = operations.length === 0 ? '' : ` (${operations.join(', ')})`
    return `${kind}: ${description}${concerned}`
  })
  return `  <entry>
    <title>${xml(version)}</title>
    <id>${xml(`${page}#${version}`)}</id>
    <link href="${xml(`${page}#${version}`)}"/>
    <updated>${instantOf(release)}</updated>
    <content type="text">${xml(text.join('\n'))}</content>
  </entry>
`
}

/** Returns the timestamp of a release, which the changelog dates by day only. */
function instantOf(release: Release | undefined): string {
  return `${release?.date ?? '1970-01-01'}T00:00:00Z`
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
