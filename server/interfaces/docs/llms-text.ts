import { type Contract, isOpenToApiClients, type Operation } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import { EXTERNAL_PREFIX } from '../service/published-contract.ts'
import { GUIDES, readGuide } from './guides.ts'
import type { Site } from './page/page.ts'

/**
 * Renders `/llms.txt` (https://llmstxt.org), the first file that an agent reads. It is Markdown with links to all other
 * pages, generated from the contract.
 */
export function renderLlmsText(site: Site, contract: Contract, config: Config): string {
  const { info } = contract.document as { info: { summary?: string } }
  const docs = (path: string) => `${site.url}/docs${path}`
  const guides = GUIDES.map((name) => {
    const { title, lead } = readGuide(name, site, config)
    return formatLink(title, docs(`/guides/${name}`), lead)
  })
  const external = [...contract.operations.values()].filter(
    (operation) => operation.path.startsWith(EXTERNAL_PREFIX) && isOpenToApiClients(operation),
  )
  const operations = [...Map.groupBy(external, getTag)].map(([tag, members]) =>
    formatSection(
      tag,
      members.map((each) => formatLink(each.id, docs(`/operations/${each.id}`), each.declaration.summary ?? '')),
    ),
  )
  return [
    `# ${site.title}\n\n> ${info.summary ?? ''}\n\n`,
    `Base URL: ${site.url}. Send \`Authorization: Bearer plb_…\`. Every operation is also a skill: \`POST /api/ext/execute\` with its name and one flat \`input\` runs it. With \`"dryRun": true\`, nothing is saved.\n`,
    formatSection('Documents', [
      formatLink('OpenAPI 3.1', docs('/openapi.json'), 'All paths, schemas, examples, and problems, as JSON.'),
      formatLink('Postman collection', docs('/postman.json'), 'All operations, with example requests and responses.'),
      formatLink(
        'Tool definitions',
        `${site.url}/api/ext/schema/tools.json`,
        'The skills that your API key can use. Requires an API key.',
      ),
      formatLink(
        'Functions',
        `${site.url}/api/ext/schema/functions.json`,
        'The same skills, as definitions for function calling. Requires an API key.',
      ),
      formatLink(
        'MCP',
        `${site.url}/mcp`,
        'The skills over the Model Context Protocol (Streamable HTTP). Requires an API key.',
      ),
      formatLink('Problems', docs('/problems'), 'All problem codes, with the condition and the remedy for each code.'),
      formatLink('Events', docs('/events'), 'All event types that webhooks deliver, with a sample of each.'),
      formatLink('Glossary', docs('/glossary'), 'The terms of the construction industry and of the API.'),
      formatLink(
        'Changelog',
        docs('/changelog'),
        'Changes to the API. Also available as a feed at /docs/changelog.atom.',
      ),
    ]),
    formatSection('Guides', guides),
    ...operations,
  ].join('')
}

function getTag({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}

function formatSection(title: string, lines: readonly string[]): string {
  return `\n## ${title}\n\n${lines.join('')}`
}

function formatLink(title: string, address: string, what: string): string {
  return `- [${title}](${address}): ${what.replaceAll(/\s+/g, ' ').trim()}\n`
}
