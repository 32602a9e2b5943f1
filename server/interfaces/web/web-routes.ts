import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { Services } from '../../platform/calls/call.ts'
import { matchesEtag } from '../../platform/calls/etag.ts'

/** The folder into which `node web/build.ts` writes the pages. */
export const PAGES_FOLDER = path.join(import.meta.dirname, '../../../dist/web')

/**
 * Returns the routes of the admin area: the files built from web/, and the single HTML document for all its pages. File
 * names contain digests, so browsers can cache the files forever. Browsers revalidate the document each time, which
 * usually costs only a 304 response. All files together are about a megabyte in size. They are read once and kept in
 * memory.
 */
export function createWebRoutes(parts: { services: Services; log: Logger; folder?: string }): Router {
  const { services, log, folder = PAGES_FOLDER } = parts
  const routes = express.Router()
  if (!existsSync(path.join(folder, 'built.json'))) {
    log.warn(
      'dist/web has no pages: run "node web/build.ts" to build them; until then, / redirects to the documentation',
    )
    return routes
  }
  const { pages } = JSON.parse(readFileSync(path.join(folder, 'built.json'), 'utf8')) as { pages: string[] }
  const prefix = new URL(services.config.publicUrl).pathname.replace(/\/$/, '')
  const document = prepareDocument(readFileSync(path.join(folder, 'index.html'), 'utf8'), prefix)

  for (const name of readdirSync(path.join(folder, 'assets'))) {
    if (!name.endsWith('.br')) serveFile(`/assets/${name}`, 'public, max-age=31536000, immutable')
  }
  serveFile('/mark.svg', 'public, max-age=86400')

  routes.get('/', answerWith(document))
  for (const page of pages) routes.get([`/${page}`, `/${page}/*rest`], answerWith(document))
  serveFieldPage()
  return routes

  function answerWith(document: PageDocument) {
    return (req: Request, res: Response): void => {
      res.set(DOCUMENT_HEADERS).set('ETag', document.etag)
      const known = req.headers['if-none-match']
      if (known !== undefined && matchesEtag(known, document.etag)) res.status(304).end()
      else res.type('html').send(document.text)
    }
  }

  /** The superintendent's page has its own folder, so that its service worker controls only this page. */
  function serveFieldPage(): void {
    const built = readFileSync(path.join(folder, 'field/index.html'), 'utf8')
    const answer = answerWith(prepareDocument(built, prefix, { areFilesRelative: true }))
    // The page needs the trailing slash, because it uses relative URLs, such as the URL of the service worker.
    routes.get('/field', (req, res) => {
      if (req.path.endsWith('/')) answer(req, res)
      else res.redirect(308, `${prefix}/field/`)
    })
    for (const name of readdirSync(path.join(folder, 'field/assets'))) {
      if (!name.endsWith('.br')) serveFile(`/field/assets/${name}`, 'public, max-age=31536000, immutable')
    }
    for (const name of ['icon-180.png', 'icon-192.png', 'icon-512.png', 'icon-maskable.png'])
      serveFile(`/field/${name}`, 'public, max-age=86400')
    // These two files have the same names in every build, so browsers must revalidate them.
    for (const name of ['service-worker.js', 'manifest.webmanifest']) serveFile(`/field/${name}`, 'no-cache')
  }

  function serveFile(address: string, keep: string): void {
    const file = path.join(folder, address)
    const plain = readFileSync(file)
    const compressed = existsSync(`${file}.br`) ? readFileSync(`${file}.br`) : null
    routes.get(address, (req, res) => {
      res.set({ 'Cache-Control': keep, 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' })
      const isCompressed = compressed !== null && req.acceptsEncodings('br') === 'br'
      if (isCompressed) res.set('Content-Encoding', 'br')
      res.type(path.extname(address)).send(isCompressed ? compressed : plain)
    })
  }
}

// Allows only content from this service, so that nothing else can be injected into the page. `data:` images are allowed
// for the icons of the component library.
const DOCUMENT_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    // Allows the preview of a PDF, which the page reads itself and shows as a blob.
    'frame-src blob:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "worker-src 'self'",
    "manifest-src 'self'",
  ].join('; '),
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
}

interface PageDocument {
  text: string
  etag: string
}

// Inserts the service's path into the document, because the service may have a path on its host. The pages read the
// path from there.
function prepareDocument(built: string, prefix: string, { areFilesRelative = false } = {}): PageDocument {
  const rooted = built.replace('data-root=""', `data-root="${prefix}"`)
  const text = areFilesRelative ? rooted : rooted.replaceAll('"./', `"${prefix}/`)
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
}
