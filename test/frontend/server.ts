import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { rolldown } from 'rolldown'

/**
 * The page's server: it serves the page and forwards requests below /plumbline with the key, which no browser gets to
 * see. If the page may know the key, as with the mock's, the page sends its requests itself.
 */
export interface Frontend {
  url: string
  close(): Promise<void>
}

export async function startFrontend(options: { baseUrl: string; key: string; direct: boolean }): Promise<Frontend> {
  const { baseUrl, key, direct } = options
  const script = await bundle()
  const settings = direct ? { baseUrl, key } : { baseUrl: '/plumbline', key: '' }
  const html = `<!doctype html><meta charset="utf-8"><title>Vendors</title><link rel="icon" href="data:,">
    <div id="root"></div><script>window.plumbline = ${JSON.stringify(settings)}</script><script type="module" src="/page.js"></script>`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/'
    if (url.startsWith('/plumbline/')) return passOn(request, url.slice('/plumbline'.length), response)
    if (url === '/page.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  }

  async function passOn(request: IncomingMessage, target: string, response: ServerResponse): Promise<void> {
    const { 'content-type': type, 'idempotency-key': once } = request.headers
    const method = request.method ?? 'GET'
    const answered = await fetch(baseUrl + target, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(type !== undefined && { 'content-type': type }),
        ...(typeof once === 'string' && { 'idempotency-key': once }),
      },
      ...(method !== 'GET' && { body: await buffer(request) }),
    })
    const headers = { 'content-type': answered.headers.get('content-type') ?? '' }
    response.writeHead(answered.status, headers).end(await answered.text())
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(502).end(String(error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

async function bundle(): Promise<string> {
  const built = await rolldown({
    input: path.join(import.meta.dirname, 'page/page.tsx'),
    platform: 'browser',
    // The libraries' files carry a "use client" directive, which would only cause warnings here.
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await built.generate({ format: 'esm', minify: true })
  await built.close()
  return output[0].code
}
