import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { rolldown } from 'rolldown'

/**
 * The page's own server. It serves the page and uses the key, which the browser never sees, to create tokens for the
 * page. The page sends its requests directly to the service, across origins.
 */
export interface Frontend {
  url: string
  close(): Promise<void>
}

export async function startFrontend({ baseUrl, key }: { baseUrl: string; key: string }): Promise<Frontend> {
  // Bundles the page only once, because it is the same for each backend.
  bundled ??= bundlePage()
  const script = await bundled

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/page.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else if (request.url === '/token') response.end(await token(`http://${request.headers.host}`))
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  }

  async function token(origin: string): Promise<string> {
    const responded = await fetch(`${baseUrl}/api/ext/browser-tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ origin, permissions: ['vendors:read', 'vendors:write', 'events:read'] }),
    })
    return ((await responded.json()) as { token: string }).token
  }

  const page = `<!doctype html><meta charset="utf-8"><title>Vendors</title><link rel="icon" href="data:,">
    <div id="root"></div><script>window.plumbline = ${JSON.stringify({ baseUrl })}</script><script type="module" src="/page.js"></script>`

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

let bundled: Promise<string> | undefined

async function bundlePage(): Promise<string> {
  const built = await rolldown({
    input: path.join(import.meta.dirname, 'page/page.tsx'),
    platform: 'browser',
    // Hides warnings about the "use client" directives in the libraries, which have no meaning here.
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await built.generate({ format: 'esm', minify: true })
  await built.close()
  return output[0].code
}
