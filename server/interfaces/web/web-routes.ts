import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { Services } from '../../platform/calls/call.ts'
import { matchesEtag } from '../../platform/calls/etag.ts'

/** Where `node web/build.ts` writes the pages. */
export const PAGES_FOLDER = path.join(import.meta.dirname, '../../../dist/web')

/**
 * Returns the routes of the admin area: the files built from web/, and the single document of all its pages. The names
 * of the files contain their digests, so browsers keep them forever. The document is revalidated each time, which costs
 * a 304. Everything, about a megabyte, is read once and kept in memory.
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

  routes.get('/', answerWithDocument)
  for (const page of pages) routes.get([`/${page}`, `/${page}/*rest`], answerWithDocument)
  return routes

  function answerWithDocument(req: Request, res: Response): void {
    res.set(DOCUMENT_HEADERS).set('ETag', document.etag)
    const known = req.headers['if-none-match']
    if (known !== undefined && matchesEtag(known, document.etag)) res.status(304).end()
    else res.type('html').send(document.text)
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

// Everything comes from this service, and nothing may be injected into the page. Icons of the component library are
// data: images.
const DOCUMENT_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
}

// The service may be below a path of its host, which the pages read from the document.
function prepareDocument(built: string, prefix: string): { text: string; etag: string } {
  const text = built.replace('data-root=""', `data-root="${prefix}"`).replaceAll('"./', `"${prefix}/`)
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
}
