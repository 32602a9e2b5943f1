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

What changed in the interface, the newest version first, in the form of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/).
Written by \`npm run generate\` from \`x-changelog\` in [openapi.yaml](openapi.yaml); a running service tells the same at
\`GET /api/ext/changelog\`, at \`/docs/changelog\` and as a feed at \`/docs/changelog.atom\`. The versions are those of the
contract and follow [Semantic Versioning](https://semver.org).
`

/** Returns CHANGELOG.md, for readers of the repository. */
export function writeChangelog(document: ContractDocument): string {
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
