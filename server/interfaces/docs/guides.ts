import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { html } from './page/html.ts'
import { type Page, renderMarkdown, type Site } from './page/page.ts'

/** The guides in reading order. Each guide is a Markdown file. Its first line is the title. */
export const GUIDES: readonly string[] = [
  'first-call',
  'paging',
  'idempotency',
  'limits',
  'bidding',
  'paying',
  'bills',
  'buyer-changes',
  'scheduling',
  'site',
  'warranty',
  'accounting',
  'ledger',
  'agents',
  'browser',
  'webhooks',
  'webhooks-in-production',
  'mock',
  'other-languages',
]

interface Guide {
  title: string
  /** The first paragraph below the title. */
  lead: string
  text: string
}

/** Returns the text of a guide with this service's URLs and numbers filled in. */
export function readGuide(name: string, site: Site, config: Config): Guide {
  const source = readFileSync(path.join(import.meta.dirname, 'guides', `${name}.md`), 'utf8')
  const known: Record<string, string> = {
    url: site.url,
    docs: site.docs,
    perMinute: String(config.rateLimitPerMinute),
    perKeyAtOnce: String(config.concurrencyPerKey),
    perOrganizationAtOnce: String(config.concurrencyPerOrganization),
    portalPerMinute: String(config.portalLimitPerMinute),
    portalClientPerMinute: String(config.portalClientLimitPerMinute),
    perAddressConnections: String(config.maxConnectionsPerAddress),
    perDay: String(config.quotaPerDay),
  }
  const text = source.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = known[key]
    if (value === undefined) throw new Error(`The guide ${name} asks for {{${key}}}, which has no value.`)
    return value
  })
  const [title = '', lead = ''] = text.split(/\n\n/, 2)
  return { title: title.replace(/^# /, ''), lead, text }
}

export function renderGuidesPage(site: Site, config: Config): Page {
  return {
    title: 'Guides',
    section: '/guides',
    content: html`<h1>Guides</h1>
<p>You can paste the commands in these guides into a shell: they call this service.</p>
<ol class="guides">${GUIDES.map((name) => {
      const { title, lead } = readGuide(name, site, config)
      return html`<li><a href="${site.docs}/guides/${name}">${title}</a>${renderMarkdown(lead)}</li>\n`
    })}</ol>`,
  }
}

export function renderGuidePage(site: Site, config: Config, name: string): Page | null {
  const place = GUIDES.indexOf(name)
  if (place === -1) return null
  const { title, text } = readGuide(name, site, config)
  const next = GUIDES[place + 1]
  const onward =
    next === undefined
      ? null
      : html`<p class="onward">Next: <a href="${site.docs}/guides/${next}">${readGuide(next, site, config).title}</a></p>`
  return {
    title,
    section: '/guides',
    content: html`<p class="crumbs"><a href="${site.docs}/guides">Guides</a></p>\n${renderMarkdown(text)}${onward}`,
  }
}
