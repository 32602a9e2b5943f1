import type { Contract, Operation } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import { EXTERNAL } from '../service/published.ts'
import { GUIDES, readGuide } from './guides.ts'
import type { Site } from './page/page.ts'

/**
 * Returns `/llms.txt` (https://llmstxt.org), the first thing an agent reads: Markdown with links to everything else,
 * generated from the contract like the pages.
 */
export function llmsText(site: Site, contract: Contract, config: Config): string {
  const { info } = contract.document as { info: { summary?: string } }
  const docs = (path: string) => `${site.url}/docs${path}`
  const guides = GUIDES.map((name) => {
    const { title, lead } = readGuide(name, site, config)
    return link(title, docs(`/guides/${name}`), lead)
  })
  const external = [...contract.operations.values()].filter(({ path }) => path.startsWith(EXTERNAL))
  const operations = [...Map.groupBy(external, tagOf)].map(([tag, members]) =>
    section(
      tag,
      members.map((each) => link(each.id, docs(`/operations/${each.id}`), each.declaration.summary ?? '')),
    ),
  )
  return [
    `# ${site.title}\n\n> ${info.summary ?? ''}\n\n`,
    `Base URL: ${site.url}. Send \`Authorization: Bearer plb_…\`. Every operation is also a skill: \`POST /api/ext/execute\`\n`,
    'with its name and one flat `input` runs it. With `"dryRun": true`, nothing is saved.\n',
    section('Documents', [
      link('OpenAPI 3.1', docs('/openapi.json'), 'Every path, schema, example and problem, as JSON.'),
      link('Postman collection', docs('/postman.json'), 'Every operation with its example request and responses.'),
      link(
        'Tool definitions',
        `${site.url}/api/ext/schema/tools.json`,
        'The skills that your key may use. Requires the key.',
      ),
      link(
        'Functions',
        `${site.url}/api/ext/schema/functions.json`,
        'The same skills for function calling. Requires the key.',
      ),
      link('MCP', `${site.url}/mcp`, 'The skills over the Model Context Protocol (Streamable HTTP). Requires the key.'),
      link('Problems', docs('/problems'), 'Every code, when it occurs and how to fix it.'),
      link('Events', docs('/events'), 'Every event type that webhooks deliver, with a sample.'),
      link('Glossary', docs('/glossary'), 'The terms of the trade and of the API.'),
      link('Changelog', docs('/changelog'), 'Changes of the API. Also a feed at /docs/changelog.atom.'),
    ]),
    section('Guides', guides),
    ...operations,
  ].join('')
}

function tagOf({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}

function section(title: string, lines: readonly string[]): string {
  return `\n## ${title}\n\n${lines.join('')}`
}

function link(title: string, address: string, what: string): string {
  return `- [${title}](${address}): ${what.replaceAll(/\s+/g, ' ').trim()}\n`
}
