import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const PAGE_SIZE = readFileSync(path.resolve(import.meta.dirname, '../../docs/operating/proxies.md'), 'utf8')
const TOKEN = 'inv_01jdkq0000000000000000000a.c2VjcmV0IHRoYXQgb3BlbnMgaXQ'
const PATHS = [
  `/portal/${TOKEN}`,
  `/portal/${TOKEN}/task_1/files?language=es`,
  `/PORTAL/${TOKEN}`,
  `/portal/${TOKEN.replace('.', '%2E')}`,
  `/portal/${TOKEN.replace('_', '%5F')}`,
  `/calendars/${TOKEN}.ics`,
  `/docs?from=${TOKEN}`,
]

const isInstalled = (program: string) => spawnSync(program, ['-h']).error === undefined

test.skipIf(!isInstalled('nginx'))(
  'the documented nginx configuration logs no portal link',
  { timeout: 60_000 },
  async () => {
    await withProxy('nginx', (folder, port, upstream) => {
      const server = block('nginx')
        .replace(/server \{\n {2}listen 80;[\s\S]*?\n\}\n/, '')
        .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
        .replaceAll(/^ {2}ssl_.*$/gm, '')
        .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
        .replaceAll('/var/log/nginx', folder)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
      writeFileSync(
        path.join(folder, 'nginx.conf'),
        `pid ${folder}/pid; error_log ${folder}/error.log; events {}\nhttp {\n${paths.join('\n')}\n${server}\n}\n`,
      )
      return ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-g', 'daemon off;']
    })
  },
)

test.skipIf(!isInstalled('caddy'))(
  'the documented Caddy configuration logs no portal link',
  { timeout: 60_000 },
  async () => {
    await withProxy('caddy', (folder, port, upstream) => {
      const site = block('caddy')
        .replace('build.example.com {', `http://127.0.0.1:${port} {`)
        .replace('127.0.0.1:3000', `127.0.0.1:${upstream}`)
        .replace('{\n', '{\n\tadmin off\n')
        .replace('\tlog {\n', `\tlog {\n\t\toutput file ${folder}/plumbline.log\n`)
      writeFileSync(path.join(folder, 'Caddyfile'), site)
      return ['run', '--adapter', 'caddyfile', '--config', path.join(folder, 'Caddyfile')]
    })
  },
)

/** Sends requests through a proxy, first while the service is running and then while it is stopped. Checks the logs. */
async function withProxy(program: string, configure: (folder: string, port: number, upstream: number) => string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), `plumbline-${program}-`))
  // Allows access to other users, because the workers of nginx run as another user.
  chmodSync(folder, 0o777)
  const service = createServer((req, res) => {
    res.writeHead(303, { location: `${req.url}`, connection: 'close' }).end()
  })
  const upstream = await listen(service)
  const probe = createServer()
  const port = await listen(probe)
  await new Promise((done) => probe.close(done))
  const proxy = spawn(program, configure(folder, port, upstream), {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  proxy.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = once(proxy, 'exit')
  try {
    await untilItListens(port)
    for (const sent of PATHS) expect([sent, await getStatus(port, sent)]).toEqual([sent, 303])
    await new Promise((done) => service.close(done))
    for (const sent of PATHS) expect([sent, await getStatus(port, sent)]).toEqual([sent, 502])
  } finally {
    proxy.kill('SIGTERM')
    await ended
    service.close()
  }
  const logs = ['plumbline.log', 'error.log'].map((file) => {
    const log = path.join(folder, file)
    return program === 'caddy' && file === 'error.log' ? '' : readFileSync(log, 'utf8')
  })
  rmSync(folder, { recursive: true })
  const [access = '', errors = ''] = logs
  expect(access).toContain('/portal/[redacted]/task_1/files')
  expect(access).toContain('/calendars/[redacted]')
  // Leaves out the lines whose query contains the token. Only the error log of nginx contains such lines.
  const written = program === 'nginx' ? errors.split('\n').filter((line) => !line.includes('/docs?')) : [said]
  expect([access, ...written].filter((text) => text.includes(TOKEN.slice(-20)))).toEqual([])
}

function block(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(PAGE_SIZE) ?? []
  if (text === undefined) throw new Error(`Expected the page to have a configuration of ${language}.`)
  return text
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function getStatus(port: number, sent: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { referer: `http://127.0.0.1:${port}/portal/${TOKEN}` }
    request({ host: '127.0.0.1', port, path: sent, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })
}

async function untilItListens(port: number): Promise<void> {
  await expect.poll(() => getStatus(port, '/').catch(() => 0), { timeout: 30_000, interval: 50 }).toBeGreaterThan(0)
}
