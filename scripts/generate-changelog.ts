import type { Release } from '../client/contract.gen.ts'
import type { ContractDocument } from '../server/platform/calls/contract.ts'

const HEADINGS = {
  added: 'Added',
  changed: 'Changed',
  deprecated: 'Deprecated',
  removed: 'Removed',
  fixed: 'Fixed',
} satisfies Record<Release['changes'][number]['kind'], string>

const CHANGELOG_HEAD = `# Changelog

This file lists all changes to the API, the newest version first, in the format of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).
\`npm run generate\` writes this file from \`x-changelog\` in [openapi.yaml](openapi.yaml). A running service returns the
same changes at \`GET /api/ext/changelog\`, at \`/docs/changelog\`, and as a feed at \`/docs/changelog.atom\`. The version
numbers are the versions of the contract and follow [Semantic Versioning](https://semver.org).
`

/** Returns CHANGELOG.md, for readers of the repository. */
export function generateChangelog(document: ContractDocument): string {
  const releases = (document['x-changelog'] ?? []) as Release[]
  return CHANGELOG_HEAD + releases.map(writeRelease).join('')
}

function writeRelease({ version, date, changes }: Release): string {
  const kinds = Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const lines = changes.filter((change) => change.kind === kind).map(writeLine)
    return lines.length === 0 ? [] : [`\n### ${heading}\n\n${lines.join('')}`]
  })
  return `\n## ${version} (${date})\n${kinds.join('')}`
}

function writeLine({ description, operations }: Release['changes'][number]): string {
  const concerned = operations.map((id) => `\`${id}\``).join(', ')
  return `- ${description}${concerned === '' ? '' : ` (${concerned})`}\n`
}
