import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import express, { type Request, type Response, type Router } from 'express'
import type { Services } from '../../platform/calls/call.ts'
import { isOpenToApiClients } from '../../platform/calls/contract.ts'
import { matchesEtag } from '../../platform/calls/etag.ts'
import { EXTERNAL_PREFIX, PORTAL_PREFIX, publishCompleteContract } from '../service/published-contract.ts'
import { renderChangelogFeed } from './changelog-feed.ts'
import { renderChangelogPage } from './changelog-page.ts'
import { createDemoKeyRoute } from './demo-key.ts'
import { renderEventsPage } from './events-page.ts'
import { renderGlossaryPage } from './glossary-page.ts'
import { renderGuidePage, renderGuidesPage } from './guides.ts'
import { renderLlmsText } from './llms-text.ts'
import { html } from './page/html.ts'
import { type Page, renderDocsPage, type Site } from './page/page.ts'
import { buildPostmanCollection } from './postman-collection.ts'
import { renderProblemPage, renderProblemsPage } from './problem-pages.ts'
import { buildCodeSamples } from './reference/code-samples.ts'
import { getReferenceIndex } from './reference/reference-index.ts'
import { renderReferenceOverview, renderSectionPage } from './reference/reference-pages.ts'
import { renderRolesPage } from './roles-page.ts'
import { listSearchEntries } from './search-entries.ts'
import { renderSkillsPage } from './skills-page.ts'

/**
 * Returns the routes of the documentation: pages generated from the published contract, and guides. The routes require
 * no API key. The pages load scripts and styles only from this service.
 */
export function createDocsRoutes({ contract, config }: Services): Router {
  const routes = express.Router()
  const site: Site = {
    title: contract.document.info.title,
    version: contract.version,
    url: config.publicUrl,
    docs: `${new URL(config.publicUrl).pathname.replace(/\/$/, '')}/docs`,
  }
  let missing: PreparedContent | undefined
  const operations = [...contract.operations.values()].filter(isOpenToApiClients)

  // The root path only redirects to the documentation.
  routes.get('/', (_req, res) => res.redirect(302, site.docs))
  page('/docs', () => renderReferenceOverview(site, contract))
  page('/docs/reference/:name', (slug) => renderSectionPage(site, contract, slug))
  page('/docs/skills', () => renderSkillsPage(site, contract))
  page('/docs/problems', () => renderProblemsPage(site, contract))
  page('/docs/problems/:name', (code) => renderProblemPage(site, contract, code))
  page('/docs/events', () => renderEventsPage(site, contract))
  page('/docs/guides', () => renderGuidesPage(site, config))
  page('/docs/guides/:name', (name) => renderGuidePage(site, config, name))
  page('/docs/roles', () => renderRolesPage(site, contract))
  page('/docs/glossary', () => renderGlossaryPage(site))
  page('/docs/changelog', () => renderChangelogPage(site, contract))

  // Redirects to an operation by name, so that links do not depend on how the reference is divided into pages.
  routes.get('/docs/operations/:name', (req, res, next) => {
    const operation = operations.find(({ id }) => id === req.params.name)
    if (operation === undefined) next()
    else
      res.redirect(
        302,
        `${site.docs}/reference/${getReferenceIndex(contract).sectionOf(operation).slug}#${operation.id}`,
      )
  })
  routes.get('/docs/demo-key', createDemoKeyRoute(config))

  file('/docs/openapi.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(publishCompleteContract(contract.document, config.publicUrl, [EXTERNAL_PREFIX, PORTAL_PREFIX])),
  )
  file('/docs/postman.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(buildPostmanCollection(site, contract)),
  )
  file('/docs/changelog.atom', 'application/atom+xml; charset=utf-8', () => renderChangelogFeed(site, contract))
  file('/llms.txt', 'text/plain; charset=utf-8', () => renderLlmsText(site, contract, config))
  file('/docs/samples.json', 'application/json; charset=utf-8', () => {
    const samples = operations.map((operation) => [
      operation.id,
      buildCodeSamples(contract, operation, config.publicUrl),
    ])
    return JSON.stringify(Object.fromEntries(samples))
  })
  file('/docs/search.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(listSearchEntries(site, contract, config)),
  )
  for (const [name, place] of Object.entries(ASSETS)) {
    file(`/docs/assets/${name}`, TYPES[path.extname(name)] ?? 'application/octet-stream', () => readFileSync(place))
  }
  // For an unknown path, a program gets a problem, and a user, who may have followed an old link, gets a page.
  routes.get('/docs/{*path}', (req, res, next) => {
    if (req.accepts('json', 'html') !== 'html') return next()
    missing ??= prepareContent(renderDocsPage(site, renderMissingPage(site)))
    res.status(404)
    sendContent(req, res, missing, 'text/html; charset=utf-8')
  })
  return routes

  /**
   * Adds a route for a page. The page is rendered at its first request and then cached, because it does not change
   * while the service runs.
   */
  function page(address: string, make: (name: string) => Page | null): void {
    const created = new Map<string, PreparedContent>()
    routes.get(address, (req, res, next) => {
      const name = String(req.params.name ?? '')
      let ready = created.get(name)
      if (ready === undefined) {
        const content = make(name)
        if (content === null) return next()
        ready = prepareContent(renderDocsPage(site, content))
        created.set(name, ready)
      }
      sendContent(req, res, ready, 'text/html; charset=utf-8')
    })
  }

  function file(address: string, type: string, read: () => string | Buffer): void {
    let ready: PreparedContent | undefined
    routes.get(address, (req, res) => {
      ready ??= prepareContent(read())
      sendContent(req, res, ready, type)
    })
  }
}

function renderMissingPage(site: Site): Page {
  return {
    title: 'Page not found',
    section: '',
    content: html`<h1>Page not found</h1>
<p>The documentation has no such page. Search it with <kbd>Ctrl</kbd> <kbd>K</kbd>, or start at
<a href="${site.docs}">the reference</a>, <a href="${site.docs}/guides">the guides</a> or
<a href="${site.docs}/glossary">the glossary</a>.</p>`,
  }
}

const ownFile = (name: string) => path.join(import.meta.dirname, name)

const ASSETS: Record<string, string> = {
  'tokens.css': ownFile('tokens.gen.css'),
  'docs.css': ownFile('docs.css'),
  'docs.js': ownFile('docs.js'),
  'search.js': ownFile('search.js'),
  'try.js': ownFile('try.js'),
  'verify.js': ownFile('verify.js'),
  'verify-webhook.js': ownFile('verify-webhook.gen.js'),
  'minisearch.js': fileURLToPath(import.meta.resolve('minisearch')),
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Content for repeated requests: its plain and compressed bytes, and its ETag. */
interface PreparedContent {
  plain: Buffer
  compressed: Buffer
  etag: string
}

function prepareContent(content: string | Buffer): PreparedContent {
  const plain = Buffer.from(content)
  const name = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { plain, compressed: gzipSync(plain), etag: `"${name}"` }
}

// The empty icon of the pages is a `data:` URL. Everything else is a file from this service.
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Browsers keep a copy and revalidate it each time; an unchanged page costs only a 304 response.
  'Cache-Control': 'no-cache',
  Vary: 'Accept-Encoding',
}

function sendContent(req: Request, res: Response, { plain, compressed, etag }: PreparedContent, type: string): void {
  res.set(HEADERS).set('ETag', etag)
  const known = req.headers['if-none-match']
  if (known !== undefined && matchesEtag(known, etag)) {
    res.status(304).end()
    return
  }
  const isCompressed = req.acceptsEncodings('gzip') === 'gzip'
  if (isCompressed) res.set('Content-Encoding', 'gzip')
  res.type(type).send(isCompressed ? compressed : plain)
}
