import type { Release } from '../../../client/contract.gen.ts'
import type { Contract } from '../../platform/calls/contract.ts'
import type { Site } from './page/page.ts'

/** Returns the changelog as an Atom feed (RFC 4287), for readers who want to be notified of releases. */
export function renderChangelogFeed(site: Site, contract: Contract): string {
  const releases = (contract.document['x-changelog'] ?? []) as Release[]
  const page = `${site.url}/docs/changelog`
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${escapeXml(site.title)} changelog</title>
  <id>${escapeXml(page)}</id>
  <link href="${escapeXml(page)}"/>
  <link rel="self" href="${escapeXml(`${page}.atom`)}"/>
  <updated>${releaseTimestamp(releases[0])}</updated>
  <author><name>${escapeXml(site.title)}</name></author>
${releases.map((release) => renderEntry(page, release)).join('')}</feed>
`
}

function renderEntry(page: string, release: Release): string {
  const { version, changes } = release
  const text = changes.map(({ kind, description, operations }) => {
    const concerned = operations.length === 0 ? '' : ` (${operations.join(', ')})`
    return `${kind}: ${description}${concerned}`
  })
  return `  <entry>
    <title>${escapeXml(version)}</title>
    <id>${escapeXml(`${page}#${version}`)}</id>
    <link href="${escapeXml(`${page}#${version}`)}"/>
    <updated>${releaseTimestamp(release)}</updated>
    <content type="text">${escapeXml(text.join('\n'))}</content>
  </entry>
`
}

/** Returns the timestamp of a release, based on the release's date in the changelog. */
function releaseTimestamp(release: Release | undefined): string {
  return `${release?.date ?? '1970-01-01'}T00:00:00Z`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
