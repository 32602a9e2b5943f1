import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import express, { type Request, type Response, type Router } from 'express'
import type { Surroundings } from '../../platform/calls/call.ts'
import { isForPrograms } from '../../platform/calls/contract.ts'
import { matchesEtag } from '../../platform/calls/etag.ts'
import { EXTERNAL, PORTAL, publishWhole } from '../service/published.ts'
import { changelogPage } from './changelog.ts'
import { changelogFeed } from './changelog-feed.ts'
import { demoKeyRoute } from './demo-key.ts'
import { eventsPage } from './events.ts'
import { glossaryPage } from './glossary.ts'
import { guidePage, guidesPage } from './guides.ts'
import { llmsText } from './llms.ts'
import { layout, type Page, type Site } from './page/page.ts'
import { postmanCollection } from './postman.ts'
import { problemPage, problemsPage } from './problems.ts'
import { atlasOf } from './reference/atlas.ts'
import { overviewPage, roomPage } from './reference/pages.ts'
import { samplesOf } from './reference/samples.ts'
import { rolesPage } from './roles.ts'
import { searchEntries } from './search-entries.ts'
import { skillsPage } from './skills.ts'

/**
 * Returns the routes of the documentation, which needs no key: pages generated from the published contract, and guides.
 * Everything comes from this service, including scripts and styles, and the pages may not load anything from elsewhere.
 */
export function docsRoutes({ contract, config }: Surroundings): Router {
  const routes = express.Router()
  const site: Site = {
    title: contract.document.info.title,
    version: contract.version,
    url: config.publicUrl,
    docs: `${new URL(config.publicUrl).pathname.replace(/\/$/, '')}/docs`,
  }
  const operations = [...contract.operations.values()].filter(isForPrograms)

  // The root redirects to the documentation. Nothing else is served there.
  routes.get('/', (_req, res) => res.redirect(302, site.docs))
  page('/docs', () => overviewPage(site, contract))
  page('/docs/reference/:name', (slug) => roomPage(site, contract, slug))
  page('/docs/skills', () => skillsPage(site, contract))
  page('/docs/problems', () => problemsPage(site, contract))
  page('/docs/problems/:name', (code) => problemPage(site, contract, code))
  page('/docs/events', () => eventsPage(site, contract))
  page('/docs/guides', () => guidesPage(site, config))
  page('/docs/guides/:name', (name) => guidePage(site, config, name))
  page('/docs/roles', () => rolesPage(site, contract))
  page('/docs/glossary', () => glossaryPage(site))
  page('/docs/changelog', () => changelogPage(site, contract))

  // Redirects to an operation by name, so that links do not depend on the layout of the reference.
  routes.get('/docs/operations/:name', (req, res, next) => {
    const operation = operations.find(({ id }) => id === req.params.name)
    if (operation === undefined) next()
    else res.redirect(302, `${site.docs}/reference/${atlasOf(contract).roomOf(operation).slug}#${operation.id}`)
  })
  routes.get('/docs/demo-key', demoKeyRoute(config))

  file('/docs/openapi.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(publishWhole(contract.document, config.publicUrl, [EXTERNAL, PORTAL])),
  )
  file('/docs/postman.json', 'application/json; charset=utf-8', () => JSON.stringify(postmanCollection(site, contract)))
  file('/docs/changelog.atom', 'application/atom+xml; charset=utf-8', () => changelogFeed(site, contract))
  file('/llms.txt', 'text/plain; charset=utf-8', () => llmsText(site, contract, config))
  file('/docs/samples.json', 'application/json; charset=utf-8', () => {
    const samples = operations.map((operation) => [operation.id, samplesOf(contract, operation, config.publicUrl)])
    return JSON.stringify(Object.fromEntries(samples))
  })
  file('/docs/search.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(searchEntries(site, contract, config)),
  )
  for (const [name, place] of Object.entries(ASSETS)) {
    file(`/docs/assets/${name}`, TYPES[path.extname(name)] ?? 'application/octet-stream', () => readFileSync(place))
  }
  return routes

  /** Renders a page on its first request and keeps it, because nothing on it changes while the service runs. */
  function page(address: string, make: (name: string) => Page | null): void {
    const made = new Map<string, Made>()
    routes.get(address, (req, res, next) => {
      const name = String(req.params.name ?? '')
      let ready = made.get(name)
      if (ready === undefined) {
        const content = make(name)
        if (content === null) return next()
        ready = prepare(layout(site, content))
        made.set(name, ready)
      }
      send(req, res, ready, 'text/html; charset=utf-8')
    })
  }

  function file(address: string, type: string, read: () => string | Buffer): void {
    let ready: Made | undefined
    routes.get(address, (req, res) => {
      ready ??= prepare(read())
      send(req, res, ready, type)
    })
  }
}

const own = (name: string) => path.join(import.meta.dirname, name)

const ASSETS: Record<string, string> = {
  'tokens.css': own('tokens.gen.css'),
  'docs.css': own('docs.css'),
  'docs.js': own('docs.js'),
  'search.js': own('search.js'),
  'try.js': own('try.js'),
  'verify.js': own('verify.js'),
  'verify-webhook.js': own('verify-webhook.gen.js'),
  'minisearch.js': fileURLToPath(import.meta.resolve('minisearch')),
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Content that is sent repeatedly: its plain and compressed bytes, and its ETag. */
interface Made {
  plain: Buffer
  compressed: Buffer
  etag: string
}

function prepare(content: string | Buffer): Made {
  const plain = Buffer.from(content)
  const name = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { plain, compressed: gzipSync(plain), etag: `"${name}"` }
}

// The empty icon of the pages is a data: image. Everything else is a file of this service.
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
  // Browsers keep a copy and revalidate it each time, which costs one 304 response.
  'Cache-Control': 'no-cache',
  Vary: 'Accept-Encoding',
}

function send(req: Request, res: Response, { plain, compressed, etag }: Made, type: string): void {
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
